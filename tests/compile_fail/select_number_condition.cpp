// expect: quern: select needs a traced bool: write select(x > 0.f, a, b)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a, val<int> n) {
    val v = select(n, a, a);
}
