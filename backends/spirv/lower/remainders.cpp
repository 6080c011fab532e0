// Remainders by long division of mantissas, several bits a step; rounding and neighbours by the bits.
#include <cmath>

#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {
namespace {

struct division {
    term rest;        ///< word: |x| mod |y| in units of half of y's last place; below 2 * divisor
    term divisor;     ///< word: |y| in units of y's last place
    term is_odd;      ///< bool: the quotient is
    term unit;        ///< whole: exponent of the unit
    term is_less;     ///< bool: |x| is below |y| / 4, so that it is its own remainder
};

struct split_number {
    term exponent, mantissa;
};

split_number split(term x) {
    const number_format& f = format_of(x.kind());
    const std::uint64_t hidden = std::uint64_t{1} << f.fraction, sign = std::uint64_t{1} << (f.width - 1);
    const term magnitude = bits_of(x) & word(bits_of(x), ~sign);
    const term field = shr(magnitude, static_cast<unsigned>(f.fraction)), fraction = magnitude & word(magnitude, hidden - 1);
    const term safe = fraction | word(fraction, 1);
    const term zeros = f.width == 32 ? call(ir::op::clz, safe) : leading_zeros(safe);
    const term shift = zeros - static_cast<double>(f.width - f.precision);
    const term is_denormal = field == 0;
    return {reinterpret(f.whole, select(is_denormal, word(field, 1) - shift, field)),
            select(is_denormal, fraction << shift, fraction | word(fraction, hidden))};
}

division divide_long(term x, term y) {
    const number_format& f = format_of(x.kind());
    const split_number a = split(x), b = split(y);
    const term steps = a.exponent - b.exponent + word(a.exponent, 1);  // places of |x| above the unit
    const term is_less = steps < 0;
    const term places = select(is_less, word(steps, 0), steps);
    const term divisor = shl(b.mantissa, 1);
    // Below 2^(p + 1) times 2^chunk fits the word.
    const auto chunk = static_cast<unsigned>(f.width - f.precision - 1);
    const term first = places % word(places, chunk), rounds = places / word(places, chunk);
    const term start = a.mantissa << reinterpret(f.word, first);
    variable rest(start % divisor), quotient(start / divisor);
    a.mantissa.in->repeat(cast(ir::scalar_kind::u32, rounds), [&] {
        const term shifted = shl(rest.get(), chunk);
        quotient.set(shifted / divisor);
        rest.set(shifted % divisor);
    });
    const term q = quotient.get();
    return {rest.get(), b.mantissa, (q & word(q, 1)) != 0, b.exponent - word(b.exponent, 1), is_less};
}

/// rest units of 2^(unit - bias - fraction); exact, as every remainder is a number.
term from_units(term rest, term unit, ir::scalar_kind k) {
    const number_format& f = format_of(k);
    const term n = cast(k, rest);
    const term exponent = unit - static_cast<double>(f.bias + f.fraction);
    const term third = exponent / word(exponent, 3);  // three factors, each of which is a number
    return n * power_of_two(third, k) * power_of_two(third, k) * power_of_two(exponent - third - third, k);
}

term special(term x, term y, term result) {
    const term is_invalid = is_nan(x) | is_nan(y) | (absolute(x) == infinity(x)) | (y == 0);
    return select(is_invalid, not_a_number(x), select((absolute(y) == infinity(y)) | (x == 0), x, result));
}

}  // namespace

term float_remainder(term x, term y) {
    const division d = divide_long(x, y);
    const term result = select(d.is_less, x, with_sign(from_units(d.rest, d.unit, x.kind()), x));
    return special(x, y, result);
}

/// Units are half places: twice the rest against |y| decides, and the quotient's parity on a tie.
term nearest_remainder(term x, term y) {
    const division d = divide_long(x, y);
    const term whole = shl(d.divisor, 1);
    const term is_over = (d.rest > d.divisor) | ((d.rest == d.divisor) & d.is_odd);
    const term near = select(is_over, whole - d.rest, d.rest);
    const term magnitude = from_units(near, d.unit, x.kind());
    const term turned = select(is_over, -magnitude, magnitude);
    const term negative = with_sign(real(x, 1), x) < 0;
    const term result = select(d.is_less, x, select(near == 0, with_sign(real(x, 0), x), select(negative, -turned, turned)));
    return special(x, y, result);
}

term round_away(term x) {
    const term t = call(ir::op::trunc, x);
    const term up = absolute(x - t) >= 0.5;
    return with_sign(select(up, t + with_sign(real(x, 1), x), t), x);
}

term next_after(term x, term y) {
    const term a = bits_of(x), b = bits_of(y);
    const std::uint64_t sign = ir::format_of(x.kind()).sign_mask;
    const term outward = (x < y) == (x > 0);
    const term stepped = select(outward, a + 1, a - 1);
    const term from_zero = (b & word(b, sign)) | word(b, 1);
    const term is_zero = (a & word(a, ~sign)) == 0;
    const term moved = real_of(select(is_zero, from_zero, stepped), x.kind());
    return select(is_nan(x) | is_nan(y), not_a_number(x), select(x == y, y, moved));
}

}  // namespace quern::spirv::lower
