// expect g++: not handled in switch
// expect clang: enumeration value 'down' not handled in switch
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up);
