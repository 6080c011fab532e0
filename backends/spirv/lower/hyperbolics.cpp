// Hyperbolic functions and their inverses, from e^x - 1 and logarithms of twice the precision.
#include <cmath>

#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {
namespace {

constexpr double log_2_hi = 0x1.62e42fefa39efp-1, log_2_lo = 0x1.abc9e3b39803fp-56;
constexpr double far = 22;  // e^-2x is below the last place

pair clamped_magnitude(term x) {
    const term a = absolute(x);
    return widened(select(a > far, real(x, far), a));
}

term keeps_zero(term x, term result) { return select((x == 0) | is_nan(x), x, with_sign(result, x)); }

/// log(1 + u) for u >= 0, also where adding 1 changes nothing.
pair log_of_one_and(pair u) { return logarithm((sum(real(u.hi, 1), u.hi)) + u.lo); }

term tiny_bound(const term& x) { return real(x, std::ldexp(1.0, -format_of(x.kind()).precision / 2 - 2)); }
term huge_bound(const term& x) { return real(x, std::ldexp(1.0, format_of(x.kind()).precision)); }

/// log(2x) of a large x
term log_of_twice(term x) { return rounded(logarithm(widened(x)) + pair_constant(x, log_2_hi, log_2_lo)); }

}  // namespace

term sinh(term x) {
    const pair m = exponential_less_one(clamped_magnitude(x));
    const term near = rounded(times(m + m / (m + real(x, 1)), real(x, 0.5)));
    return keeps_zero(x, select(absolute(x) > far, exponential(widened(absolute(x)), -1), near));
}

term cosh(term x) {
    const pair e = exponential_less_one(clamped_magnitude(x)) + real(x, 1);
    const term near = rounded(times(e + pair{real(x, 1), real(x, 0)} / e, real(x, 0.5)));
    return select(absolute(x) > far, exponential(widened(absolute(x)), -1), select(is_nan(x), x, near));
}

term tanh(term x) {
    const pair m = exponential_less_one(times(clamped_magnitude(x), real(x, 2)));
    return keeps_zero(x, rounded(m / (m + real(x, 2))));
}

term asinh(term x) {
    const term a = absolute(x), is_huge = a > huge_bound(x);
    const pair n = widened(select(is_huge, real(x, 1), a));
    const pair square = n * n, root = square_root(square + real(x, 1));
    const term near = rounded(log_of_one_and(n + square / (root + real(x, 1))));
    const term result = select(a < tiny_bound(x), a - a * a * (a * (1.0 / 6)), select(is_huge, log_of_twice(a), near));
    return keeps_zero(x, select(a == infinity(x), a, result));
}

term acosh(term x) {
    const term is_huge = x > huge_bound(x);
    const term n = select(is_huge | (x < 1), real(x, 2), x);
    const pair less = sum(n, real(x, -1)), more = sum(n, real(x, 1));
    const pair square = less * more;
    const term is_one = n == 1;
    const pair root = square_root({select(is_one, real(x, 1), square.hi), select(is_one, real(x, 0), square.lo)});
    const term near = select(is_one, real(x, 0), rounded(log_of_one_and(less + root)));
    const term valid = select(x == infinity(x), x, select(is_huge, log_of_twice(x), near));
    return select(x >= 1, valid, not_a_number(x));
}

term atanh(term x) {
    const term a = absolute(x), n = select(a < 1, a, real(x, 0.5));
    const pair u = pair{n + n, real(x, 0)} / sum(real(x, 1), -n);
    const term near = rounded(times(log_of_one_and(u), real(x, 0.5)));
    const term result = select(a < tiny_bound(x), a + a * a * (a * (1.0 / 3)), near);
    return keeps_zero(x, select(a == 1, infinity(x), select(a < 1, result, not_a_number(x))));
}

}  // namespace quern::spirv::lower
