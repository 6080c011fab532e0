// expect g++: use of deleted function
// expect clang: call to deleted constructor
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float> a, val<uint> i) {
    auto r = y[i];
    auto s = r;
}
