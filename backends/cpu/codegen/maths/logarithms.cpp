// log x = e log 2 + log(1 + f), x = 2^e (1 + f), -1/4 <= f < 1/2.
#include "backends/cpu/codegen/maths/functions.hpp"

namespace quern::cpu::codegen::maths {
namespace {

/// NaN below zero, -infinity at zero; infinity and NaN give themselves.
real with_specials(real x, const split_float& s, real result) {
    if (s.covers_specials) return result;
    result = unless(!(x < x.infinity()), x, result);
    return unless(x <= 0.0, select(x == 0.0, -x.infinity(), x.nan()), result);
}

/// log(1 + f) - f in double: with s = f / (2 + f), log(1 + f) = 2 atanh(s) and f - 2 s = s f.
real log_rest(real f) {
    const real s = f / (f + 2.0), z = s * s, half_square = f * f * 0.5;
    return fma(s, fma(z, polynomial_of(z, atanh_tail), half_square), -half_square);
}

/// The logarithm to a base: `unit` is log 2 (null: 1), `factor` log e (null: 1), `tail` (log(1 + f) - factor f) / f^2 in
/// float. The pieces of `unit` have one sign, so that an infinite exponent meets no other infinity.
real logarithm(real x, const expansion* unit, const expansion* factor, const polynomial& tail) {
    const split_float s = split(x);
    const real f = s.fraction - 1.0, low = unit ? s.exponent * x.constant(*unit, 1) : x.constant(0);
    real r;
    if (x.is_double()) {
        const real rest = log_rest(f);
        if (factor) r = fma(f, x.constant(*factor), fma(rest, x.constant(*factor), fma(f, x.constant(*factor, 1), low)));
        else r = f + (rest + low);
    } else {
        const real square = f * f;
        if (!unit) {
            // near -1/2 the exponent takes away a bit of what rounding spoiled
            const sum line = two_product(f, x.constant(*factor)), whole_part = quick_two_sum(s.exponent, line.high);
            r = whole_part.high + (whole_part.low + fma(square, polynomial_of(f, tail), fma(f, x.constant(*factor, 1), line.low)));
            return with_specials(x, {s.fraction, s.exponent, false}, r);
        }
        if (factor) r = fma(f, x.constant(*factor), fma(square, polynomial_of(f, tail), fma(f, x.constant(*factor, 1), low)));
        else r = f + fma(square, polynomial_of(f, tail), low);
    }
    return with_specials(x, s, unit ? fma(s.exponent, x.constant(*unit), r) : s.exponent + r);
}

}  // namespace

real log(real x) { return logarithm(x, &ln_2, nullptr, log_tail); }
real log2(real x) { return logarithm(x, nullptr, &log2_e, log2_tail); }
real log10(real x) { return logarithm(x, &log10_2, &log10_e, log10_tail); }


sum log_sum(real x, real tail) {
    const split_float a = split(x);
    const real f = a.fraction - 1.0;
    // s = f / (2 + f) with what its rounding lost
    const sum below = two_sum(x.constant(2), f);
    const real high = f / below.high;
    const real left = fma_exact(-high, below.high, f) - high * below.low;
    const sum s{high, left / below.high};
    const sum z = s * s;
    const real third = x.constant(0x1.555556p-1, 0x1.5555555555555p-1), third_low = x.constant(-0x1.555556p-26, 0x1.5555555555555p-55);
    const sum factor = quick_two_sum(third, fma(z.high, polynomial_of(z.high, atanh_rest), third_low));
    const sum cube = s * z * factor;
    sum r = quick_two_sum(high + high, s.low + s.low) + cube;
    sum whole_part = two_product(a.exponent, x.constant(ln_2));
    whole_part.low = fma(a.exponent, x.constant(ln_2, 1), whole_part.low);
    if (tail.value) r.low = r.low + tail / x;
    return quick_two_sum(whole_part.high, whole_part.low) + r;
}

namespace {

/// For x > 0 in double, whose result is wanted as a float's: log2.
real log2_short(real x) {
    const split_float a = split(x);
    const real f = a.fraction - 1.0, s = f / (f + 2.0);
    return with_specials(x, a, fma(s, polynomial_of(s * s, atanh_short), a.exponent));
}

/// 2^t in double as a float's result.
real power_of_two_short(real t) {
    const nearest_integer n = nearest(at_most(at_least(t, -200), 200));
    const real r = at_most(at_least(t, -200), 200) - n.value;
    return scale(fma(r, polynomial_of(r, exp2_short), 1.0), n);
}

}  // namespace

real pow(real x, real y) {
    const real a = abs(x);
    real r;
    if (!x.is_double()) {
        const real l = log2_short(widen(a)), t = widen(y) * l;
        r = narrow(power_of_two_short(unless(l == 0.0, 0.0, t)));
    } else {
        const sum l = log_sum(a, {});
        // overflow must not meet itself
        const real rough = l.high * y;
        sum t = select(abs(rough) < 800.0, l * y, sum{rough, x.constant(0)});
        const real simple = select(a == 0.0, -x.infinity(), x.infinity()) * y;
        t.high = unless((a == 0.0) | !(a < x.infinity()), select(is_nan(a), a, simple), t.high);
        t.high = unless(a == 1.0, 0.0, t.high);
        t.low = select(abs(t.high) < 800.0, t.low, 0.0);
        r = exp_scaled(t.high, t.low, 0);
    }
    if (x.shop->specials == special_values::open) return r;
    const real half = y * 0.5;
    const mask integral = round_any(y) == y, odd = integral & !(round_any(half) == half);
    r = select(odd, flip(r, sign_of(x)), r);
    r = select((x < 0.0) & !integral & (a < x.infinity()), x.nan(), r);
    return select((y == 0.0) | (x == 1.0), 1.0, r);
}

}  // namespace quern::cpu::codegen::maths
