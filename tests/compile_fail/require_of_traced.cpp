// expect g++: cannot convert
// expect clang: no known conversion from
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    require(n > 0);
}
