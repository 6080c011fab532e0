// The fuzzer's own generator of random numbers, written out so that a seed means the same kernel everywhere, and the
// values that are worth computing with: edges mixed with small ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dsl/ir/type.hpp"

namespace quern::fuzz {

/// xoshiro256**, seeded through splitmix64 (Blackman and Vigna, public domain).
class random_stream {
public:
    explicit random_stream(std::uint64_t seed);

    std::uint64_t next();
    /// Uniform in [0, bound); bound > 0.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    /// Uniform in [first, last].
    std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }
    bool chance(unsigned percent) { return below(100) < percent; }

    template <class Range>
    auto& pick(Range& range) {
        return range[static_cast<std::size_t>(below(range.size()))];
    }

private:
    std::array<std::uint64_t, 4> state_;
};

/// Widths of a binary floating-point format.
struct float_format {
    unsigned exponent_bits;
    unsigned mantissa_bits;
};
float_format format_of(ir::scalar_kind k);

/// Bits of the small integer or power of two `value` = significand * 2^exponent in a float format; significand < 256.
std::uint64_t float_bits(ir::scalar_kind k, unsigned significand, int exponent = 0, bool negative = false);

/// Bits of the number 1 of a kind.
std::uint64_t one_bits(ir::scalar_kind k);

/// Zero-extended bits of an interesting value of kind `k`: edges, small numbers, powers of two, and random ones.
std::uint64_t interesting_bits(random_stream& random, ir::scalar_kind k);

}  // namespace quern::fuzz
