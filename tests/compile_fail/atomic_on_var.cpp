// expect: quern: an atomic operation needs a place in a buffer or in shared memory: write atomic_add(counter[0], 1u)
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> i) {
    var v = i;
    atomic_add(v, 1u);
}
