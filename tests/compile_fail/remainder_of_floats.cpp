// expect: quern: this operator needs integers: write fmod(a, b) for a floating remainder
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = a % 2.f;
}
