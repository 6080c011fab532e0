// expect: quern: && cannot short-circuit traced values: write a & b
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val b = true && (a < 2.f);
}
