// expect: quern: a struct on a device has no virtual functions: use an enum and match, or a template
#include <quern/quern.hpp>

struct shape {
    float size;
    virtual ~shape() = default;
};
QUERN_STRUCT(shape, size);
