// expect: quern: floating places take atomic_add, min, max, exchange, load and store only
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> f) {
    atomic_compare_exchange(f[0], 1.f, 2.f);
}
