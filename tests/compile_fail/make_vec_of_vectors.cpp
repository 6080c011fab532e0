// expect: quern: make_vec takes scalars: write make_vec(v.x(), v.y(), z)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float2> p) {
    val v = make_vec(p, p);
}
