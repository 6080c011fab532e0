#include "tests/fuzz/random_stream.hpp"

#include <bit>

namespace quern::fuzz {

using ir::scalar_kind;

random_stream::random_stream(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
        seed += 0x9e37'79b9'7f4a'7c15u;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9u;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebu;
        word = z ^ (z >> 31);
    }
}

std::uint64_t random_stream::next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

float_format format_of(scalar_kind k) {
    switch (k) {
        case scalar_kind::f16: return {5, 10};
        case scalar_kind::bf16: return {8, 7};
        case scalar_kind::f32: return {8, 23};
        case scalar_kind::f64: return {11, 52};
        case scalar_kind::none: case scalar_kind::boolean: case scalar_kind::i8: case scalar_kind::i16:
        case scalar_kind::i32: case scalar_kind::i64: case scalar_kind::u8: case scalar_kind::u16:
        case scalar_kind::u32: case scalar_kind::u64: break;
    }
    return {0, 0};
}

namespace {

std::uint64_t assemble(float_format f, bool negative, std::uint64_t exponent, std::uint64_t mantissa) {
    const std::uint64_t sign = negative ? 1 : 0;
    return (sign << (f.exponent_bits + f.mantissa_bits)) | (exponent << f.mantissa_bits) |
           (mantissa & ((std::uint64_t{1} << f.mantissa_bits) - 1));
}

std::uint64_t interesting_float(random_stream& random, scalar_kind k) {
    const float_format f = format_of(k);
    const std::uint64_t all_ones = (std::uint64_t{1} << f.exponent_bits) - 1, bias = all_ones >> 1;
    const bool negative = random.chance(45);
    const unsigned roll = static_cast<unsigned>(random.below(100));
    if (roll < 6) return assemble(f, negative, 0, 0);                            // zeros of both signs
    if (roll < 9) return assemble(f, negative, all_ones, 0);                     // infinities
    if (roll < 12) return assemble(f, negative, all_ones, std::uint64_t{1} << (f.mantissa_bits - 1));  // NaN
    if (roll < 14) return assemble(f, negative, 0, 1);                           // smallest denormal
    if (roll < 16) return assemble(f, negative, 0, ~std::uint64_t{0});           // largest denormal
    if (roll < 18) return assemble(f, negative, 1, 0);                           // smallest normal
    if (roll < 20) return assemble(f, negative, all_ones - 1, ~std::uint64_t{0});  // largest finite
    if (roll < 28) {                                                             // around the ends of the integers
        constexpr std::array<unsigned, 8> powers{8, 15, 16, 31, 32, 53, 63, 64};
        // One draw a statement: the order in which arguments are evaluated is the compiler's choice.
        const std::uint64_t exponent = bias + random.pick(powers);
        const std::uint64_t below = random.below(2);
        const std::uint64_t mantissa = random.chance(50) ? 0 : ~std::uint64_t{0};
        if (exponent < all_ones) return assemble(f, negative, exponent - below, mantissa);
    }
    if (roll < 60) return float_bits(k, static_cast<unsigned>(random.below(12)), 0, negative);
    if (roll < 72) return float_bits(k, static_cast<unsigned>(random.between(1, 31)), -3, negative);  // halves, ties
    const std::uint64_t spread = bias / 8 < 12 ? bias / 8 + 1 : 12;
    const std::uint64_t exponent = roll < 94 ? bias - spread + random.below(2 * spread) : random.below(all_ones);
    return assemble(f, negative, exponent, random.next());
}

std::uint64_t interesting_integer(random_stream& random, scalar_kind k) {
    const unsigned width = ir::bit_width(k);
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    const auto bits = [&]() -> std::uint64_t {
        const unsigned roll = static_cast<unsigned>(random.below(100));
        if (roll < 10) return 0;
        if (roll < 16) return 1;
        if (roll < 24) return mask;                                     // -1, or the largest unsigned
        if (roll < 29) return top;                                      // MIN
        if (roll < 33) return top - 1;                                  // MAX
        if (roll < 36) return top + 1;
        if (roll < 44) return std::uint64_t{1} << random.below(width);
        if (roll < 48) return random.below(2 * width);                  // shift counts, also past the width
        if (roll < 68) return random.below(16);
        if (roll < 80) return mask - random.below(16);
        if (roll < 85) return random.next() >> random.below(64);
        return random.next();
    };
    return bits() & mask;
}

}  // namespace

std::uint64_t float_bits(scalar_kind k, unsigned significand, int exponent, bool negative) {
    const float_format f = format_of(k);
    if (significand == 0) return assemble(f, negative, 0, 0);
    const int top = static_cast<int>(std::bit_width(significand)) - 1;
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    const std::uint64_t mantissa = std::uint64_t{significand} << (f.mantissa_bits - static_cast<unsigned>(top));
    return assemble(f, negative, static_cast<std::uint64_t>(bias + top + exponent), mantissa);
}

std::uint64_t one_bits(scalar_kind k) { return ir::is_float(k) ? float_bits(k, 1) : 1; }

std::uint64_t interesting_bits(random_stream& random, scalar_kind k) {
    if (k == scalar_kind::boolean) return random.below(2);
    return ir::is_float(k) ? interesting_float(random, k) : interesting_integer(random, k);
}

}  // namespace quern::fuzz
