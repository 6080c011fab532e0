// expect g++: has no member named
// expect clang: no member named 'x'
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = a.x();
}
