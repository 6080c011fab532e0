// expect g++: has no member named
// expect clang: no member named 'xyzw'
#include <quern/quern.hpp>

using namespace quern;

void body(val<float3> p) {
    val v = p.xyzw();
}
