// expect: quern: this name stands for a place, not for a value
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float> a, val<uint> i) {
    auto r = y[i];
    val v = -r;
}
