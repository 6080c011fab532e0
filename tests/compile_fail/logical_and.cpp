// expect: quern: && cannot short-circuit traced values: write a & b, or and_then(a, [&] { return b; })
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val b = (a > 1.f) && (a < 2.f);
}
