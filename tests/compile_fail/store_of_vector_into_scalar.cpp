// expect: quern: the operands have different numbers of components: write v.x()
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float3> v, val<uint> i) {
    y[i] = v;
}
