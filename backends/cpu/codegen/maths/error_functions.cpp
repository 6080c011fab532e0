// erf near zero is a polynomial; farther out 1 - erfc. erfc is e^(-x^2) times a function that varies slowly
// (Shepherd and Laframboise, "Chebyshev approximation of (1 + 2 x) exp(x^2) erfc x in 0 <= x < infinity").
#include "backends/cpu/codegen/maths/functions.hpp"

namespace quern::cpu::codegen::maths {
namespace {

/// erfc(x) for x >= 0, without underflow's loss of digits before it must be.
real erfc_positive(real x) {
    const real a = at_most(x, x.is_double() ? 28.0 : 10.5);
    const real z = (a - 2.0) / (a + 2.0);
    const sum square = two_product(a, a);
    const real slow = polynomial_of(z, erfcx_scaled) / fma(a, 2.0, 1.0);
    const exponential e = exp_parts(-square.high, -square.low);
    return scale(fma(slow, e.rest.high + e.rest.low, slow), e.n);
}

}  // namespace

real erf(real x) {
    const real a = abs(x);
    const real near = fma(a, polynomial_of(a * a, erf_near), a);
    real far;
    if (x.is_double()) {
        far = 1.0 - erfc_positive(a);
    } else {
        // e^-g: 1 - that needs no exact argument
        far = 1.0 - exp(-polynomial_of(at_most(a, 4.0), erf_far));
    }
    return flip(select(a > 1.0, far, near), sign_of(x));
}

real erfc(real x) {
    const real tail = erfc_positive(abs(x));
    const real near = (1.0 - x) - x * polynomial_of(x * x, erf_near);
    const real far = select(x < 0.0, 2.0 - tail, tail);
    return select(abs(x) < 0.25, near, far);
}

}  // namespace quern::cpu::codegen::maths
