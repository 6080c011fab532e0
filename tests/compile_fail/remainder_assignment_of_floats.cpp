// expect: quern: this operator needs integers: write fmod(a, b)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    var v = a;
    v %= 2.f;
}
