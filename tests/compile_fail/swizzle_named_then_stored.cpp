// expect: quern: this name stands for components that were meant to be used at once: write v.xy() = e
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float4> p) {
    auto part = p[0].xy();
    part = float2{1, 2};
}
