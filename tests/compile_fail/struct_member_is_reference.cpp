// expect: quern: a struct on a device holds no references: store the value, or an index into a buffer
#include <quern/quern.hpp>

struct view {
    float& value;
};
QUERN_STRUCT(view, value);
