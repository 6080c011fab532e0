// e^x = 2^n e^r with |r| <= ln(2)/2: n is exact, r as x - n ln 2 in two pieces, e^r a polynomial.
#include "backends/cpu/codegen/maths/functions.hpp"

namespace quern::cpu::codegen::maths {
namespace {

/// What lies beyond gives 0 or infinity all the same.
real clamp_exponent(real x) {
    return x.is_double() ? at_most(at_least(x, -746), 710) : at_most(at_least(x, -104), 89);
}

struct reduced {
    real r, low;  ///< low: what the rounding of r lost
    nearest_integer n;
};

reduced reduce(real x) {
    const nearest_integer n = nearest_product(x, x.constant(log2_e));
    const real first = fma_exact(-n.value, x.constant(ln_2), x), r = fma(-n.value, x.constant(ln_2, 1), first);
    return {r, fma(-n.value, x.constant(ln_2, 1), first - r), n};
}

}  // namespace

real exp(real x) {
    const reduced a = reduce(clamp_exponent(x));
    const real tail = polynomial_of(a.r, exp_tail);
    return scale(fma(a.r * a.r, tail, a.r) + 1.0, a.n);
}

exponential exp_parts(real x, real tail) {
    const reduced a = reduce(x);
    const sum r = quick_two_sum(a.r, a.low + tail);
    const real curve = fma(r.high * r.high, polynomial_of(r.high, exp_tail), fma(r.low, r.high, r.low));
    return {quick_two_sum(r.high, curve), a.n};
}

real exp_scaled(real x, real tail, double offset) {
    const exponential e = exp_parts(clamp_exponent(x), tail);
    nearest_integer n = e.n;
    if (offset != 0) n = nearest(n.value + offset);
    return scale((e.rest.high + 1.0) + (e.rest.low + (e.rest.high - ((e.rest.high + 1.0) - 1.0))), n);
}

real exp2(real x) {
    const real limited = x.is_double() ? at_most(at_least(x, -1080), 1030) : at_most(at_least(x, -160), 130);
    const nearest_integer n = nearest(limited);
    const real r = limited - n.value;
    return scale(fma(r, polynomial_of(r, exp2_tail), 1.0), n);
}

}  // namespace quern::cpu::codegen::maths
