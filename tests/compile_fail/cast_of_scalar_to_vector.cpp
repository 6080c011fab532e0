// expect: quern: cast keeps the number of components
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = cast<float3>(a);
}
