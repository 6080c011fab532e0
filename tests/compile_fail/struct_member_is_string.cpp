// expect: quern: a struct on a device is copied byte by byte, and this member is not trivially copyable
#include <quern/quern.hpp>

#include <string>

struct named {
    std::string name;
    float value;
};
QUERN_STRUCT(named, name, value);
