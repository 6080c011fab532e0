// expect: quern: a member that a device stores to is not const: remove the const
#include <quern/quern.hpp>

struct fixed {
    const float value;
};
QUERN_STRUCT(fixed, value);
