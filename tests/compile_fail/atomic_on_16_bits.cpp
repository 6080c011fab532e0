// expect: quern: atomic operations work on 32- and 64-bit integers, float and double: declare
#include <quern/quern.hpp>

using namespace quern;

void body(inout<std::uint16_t> f) {
    atomic_add(f[0], 1);
}
