// expect: quern: a bool has no bits: write select(b, 1u, 0u)
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = bit_cast<std::uint8_t>(b);
}
