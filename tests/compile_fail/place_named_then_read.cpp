// expect: quern: this name stands for a place, not for a value: write `val r = y[i];`
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float> a, val<uint> i) {
    auto r = y[i];
    val v = r + 1.f;
}
