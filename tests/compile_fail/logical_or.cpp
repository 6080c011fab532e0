// expect: quern: || cannot short-circuit traced values: write a | b, or or_else(a, [&] { return b; })
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val b = (a > 1.f) || (a < 2.f);
}
