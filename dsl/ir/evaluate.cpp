#include "dsl/ir/evaluate.hpp"

#include <quern/error.hpp>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <compare>
#include <limits>
#include <string>

#include "dsl/ir/accuracy.hpp"
#include "dsl/ir/float_format.hpp"

// Every lambda below is one rounding step between bits and bits, so that no compiler can contract two of them.
static_assert(FLT_EVAL_METHOD == 0, "float and double operations must not keep excess precision");

namespace quern::ir {
namespace {

using bits = std::uint64_t;
using operand_bits = std::span<const bits>;

// ---- integers: 64-bit arithmetic, wrapped to the kind's width ----

constexpr bits value_mask(scalar_kind k) { return ~bits{0} >> (64 - bit_width(k)); }
constexpr bits wrap(scalar_kind k, bits x) { return x & value_mask(k); }

/// The bits as a number of 64 bits: sign-extended for signed kinds.
constexpr std::int64_t extend(scalar_kind k, bits x) {
    const unsigned unused = 64 - bit_width(k);
    return is_signed_integer(k) ? static_cast<std::int64_t>(x << unused) >> unused : static_cast<std::int64_t>(x);
}

constexpr bits smallest(scalar_kind k) { return is_signed_integer(k) ? bits{1} << (bit_width(k) - 1) : 0; }
constexpr bits largest(scalar_kind k) { return is_signed_integer(k) ? smallest(k) - 1 : value_mask(k); }

/// A divisor of 0, or of -1 under the smallest value, counts as 1.
bits guarded_divisor(scalar_kind k, bits dividend, bits divisor) {
    const bool overflows = is_signed_integer(k) && divisor == value_mask(k) && dividend == smallest(k);
    return divisor == 0 || overflows ? 1 : divisor;
}

bits divide(scalar_kind k, bits a, bits b) {
    b = guarded_divisor(k, a, b);
    return is_signed_integer(k) ? wrap(k, static_cast<bits>(extend(k, a) / extend(k, b))) : a / b;
}

bits remainder_of_division(scalar_kind k, bits a, bits b) {
    b = guarded_divisor(k, a, b);
    return is_signed_integer(k) ? wrap(k, static_cast<bits>(extend(k, a) % extend(k, b))) : a % b;
}

bool integer_less(scalar_kind k, bits a, bits b) {
    return is_signed_integer(k) ? extend(k, a) < extend(k, b) : a < b;
}

bits shift_left(scalar_kind k, bits a, bits count) { return wrap(k, a << (count & (bit_width(k) - 1))); }

bits shift_right(scalar_kind k, bits a, bits count) {
    count &= bit_width(k) - 1;
    return is_signed_integer(k) ? wrap(k, static_cast<bits>(extend(k, a) >> count)) : a >> count;
}

bits leading_zeros(scalar_kind k, bits a) { return static_cast<bits>(std::countl_zero(a)) - (64 - bit_width(k)); }
bits trailing_zeros(scalar_kind k, bits a) { return a == 0 ? bit_width(k) : static_cast<bits>(std::countr_zero(a)); }

bits reversed(scalar_kind k, bits a) {
    bits result = 0;
    for (unsigned i = 0; i < bit_width(k); ++i) result = result << 1 | (a >> i & 1);
    return result;
}

// ---- floats: computed in a host type, rounded to the kind ----

/// Calls f with each operand as a Number; the result is rounded to the kind.
template <class Number, class F>
bits apply(scalar_kind k, operand_bits o, F f) {
    const auto number = [&](std::size_t i) { return static_cast<Number>(decode_float(k, o[i])); };
    Number result;
    if constexpr (std::is_invocable_v<F, Number>) result = f(number(0));
    else result = f(number(0), number(1));
    return encode_float(k, static_cast<double>(result));
}

/// For operations that the host rounds correctly or gives exactly: float in float, double in double. half and bfloat16
/// in double, whose 53 bits are more than 2p + 2, so that rounding twice is rounding once.
template <class F>
bits exactly(scalar_kind k, operand_bits o, F f) {
    return k == scalar_kind::f32 ? apply<float>(k, o, f) : apply<double>(k, o, f);
}

/// For functions with an error bound: computed one format wider (where the platform has one), then rounded.
template <class F>
bits wider(scalar_kind k, operand_bits o, F f) {
    return k == scalar_kind::f64 ? apply<long double>(k, o, f) : apply<double>(k, o, f);
}

/// a * b + c rounded once. For half and bfloat16 the product is exact in double; the sum is rounded to odd (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums"), from where rounding to the narrow kind is correct.
bits fused(scalar_kind k, operand_bits o) {
    const double a = decode_float(k, o[0]), b = decode_float(k, o[1]), c = decode_float(k, o[2]);
    if (k == scalar_kind::f64) return encode_float(k, std::fma(a, b, c));
    if (k == scalar_kind::f32)
        return encode_float(k, std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
    const double product = a * b;
    double sum = std::fma(a, b, c);
    const double back = sum - product;
    const double lost = (product - (sum - back)) + (c - back);
    if (std::isfinite(sum) && lost != 0 && (std::bit_cast<bits>(sum) & 1) == 0)
        sum = std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL);
    return encode_float(k, sum);
}

/// Drops a NaN and orders -0 below +0.
constexpr auto smaller = [](auto x, auto y) {
    if (std::isnan(x) || (y == x && std::signbit(y))) return y;
    return y < x ? y : x;
};
constexpr auto larger = [](auto x, auto y) {
    if (std::isnan(x) || (y == x && !std::signbit(y))) return y;
    return y > x ? y : x;
};

/// The next number of the kind from a towards b: one step of the bits, which count magnitudes.
bits next_after(scalar_kind k, operand_bits o) {
    const float_format f = format_of(k);
    const double a = decode_float(k, o[0]), b = decode_float(k, o[1]);
    if (std::isnan(a) || std::isnan(b)) return encode_float(k, a + b);
    if (a == b) return o[1];
    if (a == 0) return (o[1] & f.sign_mask) | 1;
    return (a < b) == (a > 0) ? o[0] + 1 : o[0] - 1;
}

double log_gamma(double x) {
#ifdef __GLIBC__
    int sign = 0;  // lgamma itself writes a global
    return lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}
long double log_gamma(long double x) {
#ifdef __GLIBC__
    int sign = 0;
    return lgammal_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

double power(double x, double y) { return std::pow(x, y); }
/// glibc's powl takes the exponent -2^63 of an infinity for an odd number: special bases go through double.
long double power(long double x, long double y) {
    if (x == 0 || std::isinf(x)) return power(static_cast<double>(x), static_cast<double>(y));
    return std::pow(x, y);
}

// ---- conversions ----

/// Integer to float, rounded once: f32 and f64 by the host; the narrow kinds from a double that holds the upper bits
/// with the lower ones jammed into its last place (rounded to odd).
bits integer_to_float(scalar_kind to, scalar_kind from, bits a) {
    const bool negative = is_signed_integer(from) && extend(from, a) < 0;
    const bits magnitude = negative ? bits{0} - static_cast<bits>(extend(from, a)) : a;
    double number = 0;
    if (to == scalar_kind::f64) number = static_cast<double>(magnitude);
    else if (to == scalar_kind::f32) number = static_cast<float>(magnitude);
    else if (magnitude >> 53 == 0) number = static_cast<double>(magnitude);
    else number = std::ldexp(static_cast<double>(magnitude >> 12 | bits{(magnitude & 0xfff) != 0}), 12);
    return encode_float(to, negative ? -number : number);
}

/// Towards zero; saturates; NaN gives 0. The bounds are powers of two, so they are exact as doubles.
bits float_to_integer(scalar_kind to, double number) {
    if (std::isnan(number)) return 0;
    const int value_bits = static_cast<int>(bit_width(to)) - (is_signed_integer(to) ? 1 : 0);
    const double end = std::ldexp(1.0, value_bits);
    if (number >= end) return largest(to);
    if (number <= (is_signed_integer(to) ? -end : 0.0)) return smallest(to);
    return wrap(to, number < 0 ? static_cast<bits>(static_cast<std::int64_t>(number)) : static_cast<bits>(number));
}

/// A bool counts as 0 or 1; what is not equal to zero, NaN too, converts to true.
bits convert(scalar_kind to, scalar_kind from, bits a) {
    if (is_float(from)) {
        const double number = decode_float(from, a);
        if (to == scalar_kind::boolean) return number != 0;
        return is_float(to) ? encode_float(to, number) : float_to_integer(to, number);
    }
    if (to == scalar_kind::boolean) return a != 0;
    return is_float(to) ? integer_to_float(to, from, a) : wrap(to, static_cast<bits>(extend(from, a)));
}

std::partial_ordering compare(scalar_kind k, bits a, bits b) {
    if (is_float(k)) return decode_float(k, a) <=> decode_float(k, b);
    return is_signed_integer(k) ? std::partial_ordering(extend(k, a) <=> extend(k, b)) : a <=> b;
}

}  // namespace

std::uint64_t evaluate(op code, scalar_kind result, scalar_kind k, std::span<const std::uint64_t> o) {
    const auto arity = static_cast<std::size_t>(std::max(info(code).arity, 0));
    if (arity == 0 || o.size() != arity)
        throw internal_error("evaluate: " + std::string(info(code).name) + " with " + std::to_string(o.size()) +
                             " operands; please report this with the IR dump");
    const bits a = o[0], b = o[arity > 1 ? 1 : 0];
    const bool real = is_float(k);
    switch (code) {
        case op::add: return real ? exactly(k, o, [](auto x, auto y) { return x + y; }) : wrap(k, a + b);
        case op::sub: return real ? exactly(k, o, [](auto x, auto y) { return x - y; }) : wrap(k, a - b);
        case op::mul: return real ? exactly(k, o, [](auto x, auto y) { return x * y; }) : wrap(k, a * b);
        case op::div: return real ? exactly(k, o, [](auto x, auto y) { return x / y; }) : divide(k, a, b);
        case op::rem:
            return real ? exactly(k, o, [](auto x, auto y) { return std::fmod(x, y); }) : remainder_of_division(k, a, b);
        case op::neg: return real ? a ^ format_of(k).sign_mask : wrap(k, bits{0} - a);
        case op::abs:
            if (real) return a & ~format_of(k).sign_mask;
            return extend(k, a) < 0 && is_signed_integer(k) ? wrap(k, bits{0} - a) : a;
        case op::min: return real ? exactly(k, o, smaller) : integer_less(k, b, a) ? b : a;
        case op::max: return real ? exactly(k, o, larger) : integer_less(k, a, b) ? b : a;
        case op::fma: return fused(k, o);

        case op::bit_and: return a & b;
        case op::bit_or: return a | b;
        case op::bit_xor: return a ^ b;
        case op::bit_not: return wrap(k, ~a);
        case op::shl: return shift_left(k, a, b);
        case op::shr: return shift_right(k, a, b);
        case op::popcount: return static_cast<bits>(std::popcount(a));
        case op::clz: return leading_zeros(k, a);
        case op::ctz: return trailing_zeros(k, a);
        case op::reverse_bits: return reversed(k, a);

        case op::eq: return compare(k, a, b) == 0;
        case op::ne: return compare(k, a, b) != 0;
        case op::lt: return compare(k, a, b) < 0;
        case op::le: return compare(k, a, b) <= 0;
        case op::gt: return compare(k, a, b) > 0;
        case op::ge: return compare(k, a, b) >= 0;
        case op::select: return a != 0 ? b : o[2];
        case op::cast: return convert(result, k, a);
        case op::bit_cast: return a;

        case op::floor: return exactly(k, o, [](auto x) { return std::floor(x); });
        case op::ceil: return exactly(k, o, [](auto x) { return std::ceil(x); });
        case op::trunc: return exactly(k, o, [](auto x) { return std::trunc(x); });
        case op::round: return exactly(k, o, [](auto x) { return std::round(x); });
        case op::rint: return exactly(k, o, [](auto x) { return std::rint(x); });
        case op::sqrt: return exactly(k, o, [](auto x) { return std::sqrt(x); });
        case op::fmod: return exactly(k, o, [](auto x, auto y) { return std::fmod(x, y); });
        case op::remainder:
            return exactly(k, o, [](auto x, auto y) {
                const auto rest = std::remainder(x, y);
                return rest == 0 ? std::copysign(rest, x) : rest;  // which glibc forgets at times
            });
        case op::nextafter: return next_after(k, o);
        case op::copysign: return (a & ~format_of(k).sign_mask) | (b & format_of(k).sign_mask);

        case op::rsqrt: return wider(k, o, [](auto x) { return 1 / std::sqrt(x); });
        case op::cbrt: return wider(k, o, [](auto x) { return std::cbrt(x); });
        case op::exp: return wider(k, o, [](auto x) { return std::exp(x); });
        case op::exp2: return wider(k, o, [](auto x) { return std::exp2(x); });
        case op::expm1: return wider(k, o, [](auto x) { return std::expm1(x); });
        case op::log: return wider(k, o, [](auto x) { return std::log(x); });
        case op::log2: return wider(k, o, [](auto x) { return std::log2(x); });
        case op::log10: return wider(k, o, [](auto x) { return std::log10(x); });
        case op::log1p: return wider(k, o, [](auto x) { return std::log1p(x); });
        case op::sin: return wider(k, o, [](auto x) { return std::sin(x); });
        case op::cos: return wider(k, o, [](auto x) { return std::cos(x); });
        case op::tan: return wider(k, o, [](auto x) { return std::tan(x); });
        case op::asin: return wider(k, o, [](auto x) { return std::asin(x); });
        case op::acos: return wider(k, o, [](auto x) { return std::acos(x); });
        case op::atan: return wider(k, o, [](auto x) { return std::atan(x); });
        case op::sinh: return wider(k, o, [](auto x) { return std::sinh(x); });
        case op::cosh: return wider(k, o, [](auto x) { return std::cosh(x); });
        case op::tanh: return wider(k, o, [](auto x) { return std::tanh(x); });
        case op::asinh: return wider(k, o, [](auto x) { return std::asinh(x); });
        case op::acosh: return wider(k, o, [](auto x) { return std::acosh(x); });
        case op::atanh: return wider(k, o, [](auto x) { return std::atanh(x); });
        case op::erf: return wider(k, o, [](auto x) { return std::erf(x); });
        case op::erfc: return wider(k, o, [](auto x) { return std::erfc(x); });
        case op::tgamma: return wider(k, o, [](auto x) { return std::tgamma(x); });
        case op::lgamma: return wider(k, o, [](auto x) { return log_gamma(x); });
        case op::pow: return wider(k, o, [](auto x, auto y) { return power(x, y); });
        case op::atan2: return wider(k, o, [](auto x, auto y) { return std::atan2(x, y); });
        case op::hypot: return wider(k, o, [](auto x, auto y) { return std::hypot(x, y); });

        case op::constant: case op::parameter: case op::buffer_size: case op::induction: case op::global_id:
        case op::local_id: case op::workgroup_id: case op::workgroup_count: case op::extent: case op::subgroup_size:
        case op::subgroup_lane: case op::subgroup_id: case op::subgroup_count: case op::construct: case op::extract:
        case op::insert: case op::extract_dynamic: case op::swizzle: case op::load: case op::uniform_load:
        case op::atomic_load: case op::atomic_store: case op::atomic_add: case op::atomic_sub: case op::atomic_min:
        case op::atomic_max: case op::atomic_and: case op::atomic_or: case op::atomic_xor: case op::atomic_exchange:
        case op::atomic_compare_exchange: case op::subgroup_add: case op::subgroup_mul: case op::subgroup_min:
        case op::subgroup_max: case op::subgroup_and: case op::subgroup_or: case op::subgroup_xor:
        case op::subgroup_inclusive_add: case op::subgroup_exclusive_add: case op::subgroup_broadcast:
        case op::subgroup_shuffle: case op::subgroup_shuffle_xor: case op::subgroup_shuffle_up:
        case op::subgroup_shuffle_down: case op::subgroup_any: case op::subgroup_all: case op::subgroup_ballot: break;
    }
    throw internal_error("evaluate: " + std::string(info(code).name) +
                         " is no scalar operation; please report this with the IR dump");
}

bool is_exact(op code) { return max_ulp(code, scalar_kind::f32) == 0u; }

}  // namespace quern::ir
