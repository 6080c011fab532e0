// expect g++: no matching function for call
// expect clang: no matching function for call to 'make_vec'
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = make_vec(a, a, a, a, a);
}
