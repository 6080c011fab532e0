// expect: quern: range counts with an integer scalar: write range(0u, n)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    for_(range(0.f, a), [&](auto) {});
}
