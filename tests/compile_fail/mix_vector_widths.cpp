// expect: quern: the operands have different numbers of components: write v.x()
#include <quern/quern.hpp>

using namespace quern;

void body(val<float2> p, val<float3> q) {
    val b = p == q;
}
