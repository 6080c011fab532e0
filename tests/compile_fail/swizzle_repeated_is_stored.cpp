// expect g++: no match for
// expect clang: no viable overloaded
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float4> p) { p[0].xx() = float2{1, 2}; }
