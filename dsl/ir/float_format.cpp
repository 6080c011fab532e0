#include "dsl/ir/float_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace quern::ir {
namespace {

constexpr float_format make_format(int fraction_bits, int exponent_bits) {
    const std::uint64_t exponent_ones = (std::uint64_t{1} << exponent_bits) - 1;
    return {fraction_bits, (1 << (exponent_bits - 1)) - 1, std::uint64_t{1} << (fraction_bits + exponent_bits),
            exponent_ones << fraction_bits};
}

/// For the formats that the host lacks. The number is an integer n times a power of two: the larger of the format's
/// smallest unit and the unit of the number's own binade. rint rounds n; a carry out of n runs into the exponent.
std::uint64_t encode_small(const float_format& f, double number) {
    if (std::isinf(number)) return f.infinity;
    int exponent = 0;
    std::frexp(number, &exponent);
    const int smallest_unit = 1 - f.bias - f.fraction_bits;
    const int unit = number == 0 ? smallest_unit : std::max(exponent - 1 - f.fraction_bits, smallest_unit);
    const auto n = static_cast<std::uint64_t>(std::rint(std::ldexp(number, -unit)));
    const auto binade = static_cast<std::uint64_t>(unit - smallest_unit);
    return std::min((binade << f.fraction_bits) + n, f.infinity);
}

double decode_small(const float_format& f, std::uint64_t magnitude) {
    if (magnitude > f.infinity) return std::numeric_limits<double>::quiet_NaN();
    if (magnitude == f.infinity) return std::numeric_limits<double>::infinity();
    const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
    const auto exponent = static_cast<int>(magnitude >> f.fraction_bits);
    const std::uint64_t fraction = magnitude & (hidden - 1);
    const std::uint64_t n = exponent == 0 ? fraction : fraction | hidden;
    return std::ldexp(static_cast<double>(n), std::max(exponent, 1) - f.bias - f.fraction_bits);
}

}  // namespace

float_format format_of(scalar_kind k) {
    if (k == scalar_kind::f16) return make_format(10, 5);
    if (k == scalar_kind::bf16) return make_format(7, 8);
    if (k == scalar_kind::f32) return make_format(23, 8);
    return make_format(52, 11);
}

double decode_float(scalar_kind k, std::uint64_t bits) {
    if (k == scalar_kind::f64) return std::bit_cast<double>(bits);
    if (k == scalar_kind::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const float_format f = format_of(k);
    const double magnitude = decode_small(f, bits & ~f.sign_mask);
    return (bits & f.sign_mask) != 0 ? -magnitude : magnitude;
}

std::uint64_t encode_float(scalar_kind k, double number) {
    const float_format f = format_of(k);
    if (std::isnan(number)) return f.infinity | std::uint64_t{1} << (f.fraction_bits - 1);
    if (k == scalar_kind::f64) return std::bit_cast<std::uint64_t>(number);
    if (k == scalar_kind::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    return (std::signbit(number) ? f.sign_mask : 0) | encode_small(f, std::fabs(number));
}

}  // namespace quern::ir
