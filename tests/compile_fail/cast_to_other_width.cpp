// expect: quern: cast keeps the number of components: write v.xy()
#include <quern/quern.hpp>

using namespace quern;

void body(val<float3> p) {
    val v = cast<int2>(p);
}
