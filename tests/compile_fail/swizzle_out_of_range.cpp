// expect g++: no matching function for call
// expect clang: constraints not satisfied
#include <quern/quern.hpp>

using namespace quern;

void body(val<float2> p) {
    val v = p.z();
}
