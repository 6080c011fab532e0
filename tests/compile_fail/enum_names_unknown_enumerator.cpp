// expect g++: was not declared in this scope
// expect clang: no member named 'sideways'
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down, sideways);
