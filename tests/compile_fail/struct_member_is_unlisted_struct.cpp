// expect: quern: the language does not know this member's type
// expect: structs with a QUERN_STRUCT of their own before this one
#include <quern/quern.hpp>

struct inner {
    float value;
};
struct outer {
    inner part;
};
QUERN_STRUCT(outer, part);
