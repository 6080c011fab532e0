// expect: quern: cross needs vectors of 3 numbers: write make_vec(x, y, z)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float2> p) {
    val v = cross(p, p);
}
