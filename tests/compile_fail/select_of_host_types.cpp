// expect: quern: both sides of select need one type: write select(c, 1.f, 0.f)
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = select(n > 0, 1.f, 0);
}
