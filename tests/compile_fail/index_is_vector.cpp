// expect: quern: an index is an integer scalar: write cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<uint2> p) {
    val v = y[p];
}
