// expect: quern: a struct on a device has all of its members in one class
#include <quern/quern.hpp>

struct base {
    float a;
};
struct derived : base {
    float b;
};
QUERN_STRUCT(derived, b);
