// The host side of half (IEEE binary16) and bfloat16: 16 bits that convert from every number rounded once to nearest
// even, and to float exactly. Arithmetic rounds after every operation, as on devices.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace quern {

namespace quern_detail {

/// How many bits follow the sign.
struct small_format {
    int exponent_bits;
    int fraction_bits;
};

}  // namespace quern_detail

/// A floating number of 16 bits.
template <quern_detail::small_format Format>
class small_float {
    static constexpr int fraction_bits = Format.fraction_bits;
    static constexpr int bias = (1 << (Format.exponent_bits - 1)) - 1;
    static constexpr std::uint32_t infinity_bits = ((1u << Format.exponent_bits) - 1u) << fraction_bits;
    static constexpr std::uint32_t sign_bit = 0x8000;

public:
    constexpr small_float() = default;
    /// The nearest number, ties to even; infinity where it is too large. NaN keeps its sign and upper bits.
    template <class N>
        requires std::is_arithmetic_v<N>
    explicit constexpr small_float(N number) : bits_(round(exact_enough(number))) {}
    template <quern_detail::small_format Other>
        requires(Other.exponent_bits != Format.exponent_bits)
    explicit constexpr small_float(small_float<Other> number) : bits_(round(static_cast<float>(number))) {}

    /// Exact.
    constexpr operator float() const {  // NOLINT: converts on purpose, nothing is lost
        const std::uint32_t magnitude = bits_ & ~sign_bit, sign = (bits_ & sign_bit) << 16;
        if (magnitude >= infinity_bits)
            return __builtin_bit_cast(float, sign | 0x7f80'0000u | (magnitude - infinity_bits) << (23 - fraction_bits));
        if constexpr (Format.exponent_bits == 8) return __builtin_bit_cast(float, sign | magnitude << 16);
        else {
            if (magnitude >> fraction_bits == 0) {  // a subnormal: a count of the smallest unit, 2^(1 - bias - fraction_bits)
                const float unit = __builtin_bit_cast(float, static_cast<std::uint32_t>(128 - bias - fraction_bits) << 23);
                const float number = static_cast<float>(magnitude) * unit;
                return sign != 0 ? -number : number;
            }
            return __builtin_bit_cast(float, sign | ((magnitude << (23 - fraction_bits)) + (static_cast<std::uint32_t>(127 - bias) << 23)));
        }
    }

    constexpr std::uint16_t bits() const { return bits_; }
    static constexpr small_float from_bits(std::uint16_t bits) {
        small_float number;
        number.bits_ = bits;
        return number;
    }

    constexpr small_float operator+() const { return *this; }
    constexpr small_float operator-() const { return from_bits(static_cast<std::uint16_t>(bits_ ^ sign_bit)); }
    // float has more than twice the digits and two more, so that rounding its result again is rounding once
    friend constexpr small_float operator+(small_float a, small_float b) { return small_float(float(a) + float(b)); }
    friend constexpr small_float operator-(small_float a, small_float b) { return small_float(float(a) - float(b)); }
    friend constexpr small_float operator*(small_float a, small_float b) { return small_float(float(a) * float(b)); }
    friend constexpr small_float operator/(small_float a, small_float b) { return small_float(float(a) / float(b)); }
    constexpr small_float& operator+=(small_float b) { return *this = *this + b; }
    constexpr small_float& operator-=(small_float b) { return *this = *this - b; }
    constexpr small_float& operator*=(small_float b) { return *this = *this * b; }
    constexpr small_float& operator/=(small_float b) { return *this = *this / b; }
    friend constexpr bool operator==(small_float a, small_float b) { return float(a) == float(b); }
    friend constexpr bool operator!=(small_float a, small_float b) { return float(a) != float(b); }
    friend constexpr bool operator<(small_float a, small_float b) { return float(a) < float(b); }
    friend constexpr bool operator<=(small_float a, small_float b) { return float(a) <= float(b); }
    friend constexpr bool operator>(small_float a, small_float b) { return float(a) > float(b); }
    friend constexpr bool operator>=(small_float a, small_float b) { return float(a) >= float(b); }

private:
    /// A double that rounds to the same 16 bits as the number: where it has fewer digits, its last one is 1 if any that
    /// were lost is (rounding to odd).
    template <class N>
    static constexpr double exact_enough(N number) {
        if constexpr (std::is_integral_v<N>) {
            if (number < N{}) return -exact_enough(static_cast<std::uint64_t>(0) - static_cast<std::uint64_t>(number));
            const auto n = static_cast<std::uint64_t>(number);
            return n >> 53 == 0 ? static_cast<double>(n) : static_cast<double>(n >> 12 | std::uint64_t{(n & 0xfff) != 0}) * 0x1p12;
        } else {
            static_assert(sizeof(N) <= sizeof(double) || !std::is_same_v<N, long double>,
                          "quern: half and bfloat16 convert from float and double: write static_cast<double>(x)");
            return static_cast<double>(number);
        }
    }

    static constexpr std::uint16_t round(double number) {
        const auto from = __builtin_bit_cast(std::uint64_t, number);
        const auto sign = static_cast<std::uint32_t>(from >> 48) & sign_bit;
        const auto exponent = static_cast<int>(from >> 52 & 0x7ff) - 1023;
        const std::uint64_t fraction = from & ((std::uint64_t{1} << 52) - 1);
        const auto result = [sign](std::uint64_t bits) { return static_cast<std::uint16_t>(sign | bits); };
        if (exponent == 1024) {
            const std::uint64_t quiet = fraction != 0 ? std::uint64_t{1} << (fraction_bits - 1) : 0;
            return result(infinity_bits | fraction >> (52 - fraction_bits) | quiet);
        }
        // The number is (2^52 + fraction) * 2^(exponent - 52); it is rounded to a multiple of its unit, that of its
        // binade or the smallest one. A carry out of the digits runs into the exponent.
        const int smallest_unit = 1 - bias - fraction_bits;
        const int unit = exponent - fraction_bits > smallest_unit ? exponent - fraction_bits : smallest_unit;
        const int shift = unit - (exponent - 52);
        if (exponent > bias) return result(infinity_bits);
        if (shift > 54) return result(0);
        const std::uint64_t digits = std::uint64_t{1} << 52 | fraction;
        const std::uint64_t kept = digits >> shift, lost = digits & ((std::uint64_t{1} << shift) - 1);
        const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
        const std::uint64_t rounded = kept + std::uint64_t{lost > tie || (lost == tie && (kept & 1) != 0)};
        return result((static_cast<std::uint64_t>(unit - smallest_unit) << fraction_bits) + rounded);
    }

    std::uint16_t bits_ = 0;
};

/// IEEE binary16: 11 digits, up to 65504.
using half = small_float<quern_detail::small_format{5, 10}>;
/// The upper half of a float: 8 digits, float's range.
using bfloat16 = small_float<quern_detail::small_format{8, 7}>;

}  // namespace quern

template <quern::quern_detail::small_format Format>
class std::numeric_limits<quern::small_float<Format>> {
    using number = quern::small_float<Format>;
    static constexpr int fraction_bits = Format.fraction_bits;
    static constexpr unsigned infinity_bits = ((1u << Format.exponent_bits) - 1u) << fraction_bits;
    static constexpr number of(unsigned bits) { return number::from_bits(static_cast<std::uint16_t>(bits)); }

public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, is_iec559 = true,
                          is_bounded = true, is_modulo = false, has_infinity = true, has_quiet_NaN = true,
                          has_signaling_NaN = true, traps = false, tinyness_before = false;
    static constexpr std::float_round_style round_style = std::round_to_nearest;
    static constexpr int radix = 2, digits = fraction_bits + 1, digits10 = fraction_bits * 301 / 1000,
                         max_digits10 = 2 + (fraction_bits + 1) * 301 / 1000, max_exponent = 1 << (Format.exponent_bits - 1),
                         min_exponent = 3 - max_exponent, max_exponent10 = (max_exponent - 1) * 301 / 1000,
                         min_exponent10 = (min_exponent - 1) * 301 / 1000;
    static constexpr number min() noexcept { return of(1u << fraction_bits); }
    static constexpr number max() noexcept { return of(infinity_bits - 1); }
    static constexpr number lowest() noexcept { return of(0x8000u | (infinity_bits - 1)); }
    static constexpr number epsilon() noexcept { return number(1.0 / (1 << fraction_bits)); }
    static constexpr number round_error() noexcept { return number(0.5); }
    static constexpr number infinity() noexcept { return of(infinity_bits); }
    static constexpr number quiet_NaN() noexcept { return of(infinity_bits | 1u << (fraction_bits - 1)); }
    static constexpr number signaling_NaN() noexcept { return of(infinity_bits | 1u); }
    static constexpr number denorm_min() noexcept { return of(1); }
};
