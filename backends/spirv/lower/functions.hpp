// The lowerings by name: scalar functions on terms. Bounds: dsl/ir/accuracy.def; special values: C's Annex F.
#pragma once

#include "backends/spirv/lower/pairs.hpp"

namespace quern::spirv::lower {

// exact.cpp: correctly rounded by integer arithmetic, whatever the device's own operations do; f32 and f64
term exact_divide(term a, term b);
term exact_square_root(term a);
term exact_fma(term a, term b, term c);
/// halves: through f32, whose product of two is exact
term half_fma(term a, term b, term c);

// remainders.cpp: exact
term float_remainder(term x, term y);    ///< fmod
term nearest_remainder(term x, term y);  ///< IEEE remainder
term round_away(term x);
term next_after(term x, term y);

// exponentials.cpp
pair exponential_less_one(pair x);                  ///< e^x - 1 for moderate x
pair logarithm(pair x);                             ///< of a normal positive number, to twice the precision but a few bits
struct log_parts { term exponent; pair mantissa; }; ///< log x = exponent * log 2 + mantissa
enum class effort : std::uint8_t { usual, more };   ///< more: for powers
log_parts split_logarithm(pair x, effort e);
pair join(const log_parts& l);
/// e^x scaled by 2^shift, rounded once
term exponential(pair x, int shift = 0);
term exp(term x);
term exp2(term x);
term expm1(term x);
term log(term x);
term log2(term x);
term log10(term x);
term log1p(term x);
term power(term x, term y);
term cube_root(term x);
term reciprocal_root(term x);
term hypotenuse(term x, term y);

// hyperbolics.cpp
term sinh(term x);
term cosh(term x);
term tanh(term x);
term asinh(term x);
term acosh(term x);
term atanh(term x);

// trigonometry.cpp
term sin(term x);
term cos(term x);
term tan(term x);
term asin(term x);
term acos(term x);
term atan(term x);
term atan2(term y, term x);
/// sin(pi x) as a pair, exact in its argument
pair sine_of_half_turns(term x);

// special.cpp
term erf(term x);
term erfc(term x);
term gamma(term x);
term log_gamma(term x);

// integers.cpp
term count_bits(term x);
term leading_zeros(term x);
term trailing_zeros(term x);
term reverse_bits(term x);

// subgroups.cpp
/// subgroup_min or subgroup_max of floats, through integers in the same order: drops NaN, orders -0 below +0
term subgroup_extreme(ir::op code, term x);

/// c[0] + x * (c[1] + x * ...)
template <class Coefficients>
term polynomial(term x, const Coefficients& c) {
    std::size_t n = std::size(c);
    term sum = real(x, c[--n]);
    while (n > 0) sum = sum * x + c[--n];
    return sum;
}

}  // namespace quern::spirv::lower
