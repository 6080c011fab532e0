// expect: quern: a struct on a device is copied byte by byte: remove its copy operations and its destructor
#include <quern/quern.hpp>

struct owner {
    float size;
    ~owner() {}
};
QUERN_STRUCT(owner, size);
