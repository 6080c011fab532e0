// expect: quern: this name stands for a place that was meant to be used at once: write `place r = y[i];`
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float> a, val<uint> i) {
    auto r = y[i];
    r = 1.f;
}
