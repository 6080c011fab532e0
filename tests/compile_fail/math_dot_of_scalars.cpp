// expect: quern: dot needs vectors of numbers: write a * b for scalars
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = dot(a, a);
}
