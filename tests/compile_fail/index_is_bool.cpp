// expect: quern: an index is an integer scalar: write cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float> a, val<uint> i) {
    val v = y[a > 1.f];
}
