// expect: quern: the condition of select has another number of components than its sides
#include <quern/quern.hpp>

using namespace quern;

void body(val<float2> p, val<float3> q) {
    val v = select(p > 0.f, q, q);
}
