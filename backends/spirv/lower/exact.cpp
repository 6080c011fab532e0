// Division, square root and fused multiply-add, correctly rounded by integer arithmetic (as Berkeley SoftFloat does):
// Vulkan promises none of them. The device's own operations only give first guesses, which are corrected.
#include "backends/spirv/lower/functions.hpp"

#include <cmath>

namespace quern::spirv::lower {
namespace {

/// A finite non-zero number: mantissa * 2^(exponent - fraction), the mantissa of exactly `precision` bits.
struct parts {
    term sign, exponent, mantissa;  ///< word with the sign bit, whole, word
};

struct workshop {
    const number_format& f;
    explicit workshop(const term& x) : f(format_of(x.kind())) {}

    std::uint64_t sign_bit() const { return std::uint64_t{1} << (f.width - 1); }
    std::uint64_t hidden_bit() const { return std::uint64_t{1} << f.fraction; }
    std::uint64_t fraction_mask() const { return hidden_bit() - 1; }
    std::uint64_t infinity_bits() const { return sign_bit() - hidden_bit(); }

    term leading_zeros_of(term w) const { return f.width == 32 ? call(ir::op::clz, w) : leading_zeros(w); }

    parts take_apart(term x) const {
        const term b = bits_of(x), magnitude = b & word(b, ~sign_bit());
        const term field = shr(magnitude, static_cast<unsigned>(f.fraction)), fraction = b & word(b, fraction_mask());
        const term is_denormal = field == 0;
        const term shift = leading_zeros_of(fraction | word(b, 1)) - static_cast<double>(f.width - f.precision);
        const term mantissa = select(is_denormal, fraction << shift, fraction | word(b, hidden_bit()));
        const term exponent = select(is_denormal, word(b, 1) - shift, field);
        return {b & word(b, sign_bit()), reinterpret(f.whole, exponent) - f.bias, mantissa};
    }

    /// Shifts right; what falls out is kept in the lowest bit. Any distance >= 0.
    term shift_jamming(term w, term distance) const {
        const term far = distance >= word(distance, static_cast<std::uint64_t>(f.width));
        const term d = select(far, word(distance, 0), distance);
        const term lost = select((w & ((word(w, 1) << d) - 1)) != 0, word(w, 1), word(w, 0));
        return select(far, select(w != 0, word(w, 1), word(w, 0)), (w >> d) | lost);
    }

    /// sign, and mantissa * 2^(exponent - top) where the mantissa's highest bit is number `top` or zero: rounded to
    /// nearest even, to infinity or through denormals to zero.
    term round(term sign, term exponent, term mantissa, int top) const {
        const int spare = top - f.fraction;  // bits below the last place
        const term below = reinterpret(f.word, (1 - f.bias) - exponent);  // how far under the normal numbers
        const term is_tiny = exponent < word(exponent, static_cast<std::uint64_t>(1 - f.bias));
        const term m = select(is_tiny, shift_jamming(mantissa, below), mantissa);
        const term kept = shr(m, static_cast<unsigned>(spare)), rest = m & word(m, (std::uint64_t{1} << spare) - 1);
        const term half = word(m, std::uint64_t{1} << (spare - 1));
        const term up = (rest > half) | ((rest == half) & ((kept & word(kept, 1)) != 0));
        const term field = select(is_tiny, word(m, 0), reinterpret(f.word, exponent + (f.bias - 1)));
        // The hidden bit adds one to the field; rounding up may carry into it, which is right.
        const term packed = shl(field, static_cast<unsigned>(f.fraction)) + kept + select(up, word(m, 1), word(m, 0));
        const term overflows = exponent > word(exponent, static_cast<std::uint64_t>(f.bias));
        const term capped = select(overflows | (packed > word(m, infinity_bits())), word(m, infinity_bits()), packed);
        return real_of(sign | capped, f.real);
    }
};

/// Twice a word.
struct wide {
    term high, low;
};

struct wide_arithmetic {
    const int width;

    wide multiply(term a, term b) const {
        const auto half = static_cast<unsigned>(width / 2);
        const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
        const term al = a & word(a, mask), ah = shr(a, half), bl = b & word(b, mask), bh = shr(b, half);
        const term ll = al * bl, lh = al * bh, hl = ah * bl;
        const term middle = shr(ll, half) + (lh & word(a, mask)) + (hl & word(a, mask));
        return {ah * bh + shr(lh, half) + shr(hl, half) + shr(middle, half), shl(middle, half) | (ll & word(a, mask))};
    }
    wide add(wide a, wide b) const {
        const term low = a.low + b.low;
        return {a.high + b.high + select(low < a.low, word(low, 1), word(low, 0)), low};
    }
    wide subtract(wide a, wide b) const {
        return {a.high - b.high - select(a.low < b.low, word(a.low, 1), word(a.low, 0)), a.low - b.low};
    }
    /// By a distance below twice the width.
    wide shift_left(wide a, term distance) const {
        const term w = word(distance, static_cast<std::uint64_t>(width)), is_far = distance >= w, n = select(is_far, distance - w, distance);
        const term carried = select(n == 0, word(n, 0), a.low >> (w - n));
        return {select(is_far, a.low << n, (a.high << n) | carried), select(is_far, word(n, 0), a.low << n)};
    }
    /// What falls out stays in the lowest bit; any distance.
    wide shift_right_jamming(wide a, term distance) const {
        const term w = word(distance, static_cast<std::uint64_t>(width)), zero = word(distance, 0), one = word(distance, 1);
        const term is_all = distance >= w + w, is_far = distance >= w;
        const term n = select(is_all, zero, select(is_far, distance - w, distance));
        const term mask = (one << n) - one;
        const term carried = select(n == 0, zero, a.high << (w - n));
        const term near_lost = (a.low & mask) != 0, far_lost = ((a.high & mask) | a.low) != 0;
        const term high = select(is_far, zero, a.high >> n);
        const term low = select(is_far, (a.high >> n) | select(far_lost, one, zero), (a.low >> n) | carried | select(near_lost, one, zero));
        const term any = select((a.high | a.low) != 0, one, zero);
        return {select(is_all, zero, high), select(is_all, any, low)};
    }
};

/// By the bits: a device that flushes denormals takes them for zeros in comparisons.
term is_zero(term x) { return shl(bits_of(x), 1) == 0; }
term is_infinite(term x) { return absolute(x) == infinity(x); }

}  // namespace

term exact_divide(term a, term b) {
    const workshop w(a);
    const number_format& f = w.f;
    const parts x = w.take_apart(a), y = w.take_apart(b);
    const auto p = static_cast<unsigned>(f.precision);
    // q = x.mantissa * 2^(p + 1) / y.mantissa, from a guess that is a few units off; remainders modulo the word suffice.
    const term guess = cast(f.real, x.mantissa) / cast(f.real, y.mantissa);
    term q = cast(f.word, guess * std::ldexp(1.0, static_cast<int>(p) + 1));
    term rest = reinterpret(f.whole, shl(x.mantissa, p + 1) - q * y.mantissa);
    const term divisor = reinterpret(f.whole, y.mantissa);
    const term off = rest / divisor;
    q = q + reinterpret(f.word, off);
    rest = rest - off * divisor;
    const term negative = rest < 0;
    q = q - select(negative, word(q, 1), word(q, 0));
    rest = select(negative, rest + divisor, rest);
    // q has its highest bit at p + 1 or p: one more place for the jammed remainder.
    const term is_small = shr(q, p + 1) == 0;
    const term jam = select(rest != 0, word(q, 1), word(q, 0));
    const term mantissa = select(is_small, shl(q, 2), shl(q, 1)) | jam;
    const term exponent = x.exponent - y.exponent - select(is_small, word(x.exponent, 1), word(x.exponent, 0));
    const term sign = x.sign ^ y.sign;
    const term result = w.round(sign, exponent, mantissa, static_cast<int>(p) + 2);
    const term zero = real_of(sign, f.real), infinite = real_of(sign | word(sign, w.infinity_bits()), f.real);
    const term invalid = is_nan(a) | is_nan(b) | (is_zero(a) & is_zero(b)) | (is_infinite(a) & is_infinite(b));
    return select(invalid, not_a_number(a),
                  select(is_infinite(a) | is_zero(b), infinite, select(is_zero(a) | is_infinite(b), zero, result)));
}

term exact_square_root(term a) {
    const workshop w(a);
    const number_format& f = w.f;
    const parts x = w.take_apart(a);
    const auto p = static_cast<unsigned>(f.precision);
    // m in [1, 4): an even exponent is left.
    const term odd = (x.exponent & word(x.exponent, 1)) != 0;
    const term m = select(odd, shl(x.mantissa, 1), x.mantissa);
    const term exponent = shr(x.exponent - select(odd, word(x.exponent, 1), word(x.exponent, 0)), 1);
    // s = floor(sqrt(m * 2^(p + 1))) of p + 1 bits, from a guess that is a few units off.
    const term guess = call(ir::op::sqrt, cast(f.real, m) * std::ldexp(1.0, -f.fraction));
    term s = cast(f.word, guess * std::ldexp(1.0, static_cast<int>(p)));
    const auto rest_of = [&](term root) { return reinterpret(f.whole, shl(m, p + 1) - root * root); };
    term rest = rest_of(s);
    s = s + reinterpret(f.word, rest / reinterpret(f.whole, s + s));
    for (int i = 0; i < 2; ++i) {
        rest = rest_of(s);
        s = s - select(rest < 0, word(s, 1), word(s, 0));
    }
    for (int i = 0; i < 2; ++i) {
        rest = rest_of(s);
        s = s + select(rest > reinterpret(f.whole, s + s), word(s, 1), word(s, 0));
    }
    rest = rest_of(s);
    const term mantissa = shl(s, 2) | select(rest != 0, word(s, 1), word(s, 0));
    const term result = w.round(word(s, 0), exponent, mantissa, static_cast<int>(p) + 2);
    const term is_negative = (x.sign != 0) & !is_zero(a);
    return select(is_nan(a) | is_negative, not_a_number(a), select(is_zero(a) | is_infinite(a), a, result));
}

term exact_fma(term a, term b, term c) {
    const workshop w(a);
    const number_format& f = w.f;
    const wide_arithmetic arithmetic{f.width};
    const auto p = static_cast<unsigned>(f.precision);
    const parts x = w.take_apart(a), y = w.take_apart(b), z = w.take_apart(c);
    const term zero = word(x.mantissa, 0), one = word(x.mantissa, 1);
    // Both in a frame whose highest bit but two is number `top`: the product has its highest bit there or one below.
    const int top = 2 * f.width - 3;
    const auto place = [&](wide v, int highest) { return arithmetic.shift_left(v, word(zero, static_cast<std::uint64_t>(top - highest))); };
    wide first = place(arithmetic.multiply(x.mantissa, y.mantissa), 2 * static_cast<int>(p) - 1);
    wide second = place({zero, z.mantissa}, static_cast<int>(p) - 1);
    const term first_exponent = x.exponent + y.exponent + word(x.exponent, 1);  // of bit `top`
    const term sign = x.sign ^ y.sign;
    const term product_is_zero = is_zero(a) | is_zero(b), addend_is_zero = is_zero(c);
    first = {select(product_is_zero, zero, first.high), select(product_is_zero, zero, first.low)};
    second = {select(addend_is_zero, zero, second.high), select(addend_is_zero, zero, second.low)};
    const term takes_second = product_is_zero | ((z.exponent > first_exponent) & !addend_is_zero);
    const term exponent = select(takes_second, z.exponent, first_exponent);
    const term distance_first = reinterpret(f.word, select(takes_second & !product_is_zero, exponent - first_exponent, word(exponent, 0)));
    const term distance_second = reinterpret(f.word, select(addend_is_zero | takes_second, word(exponent, 0), exponent - z.exponent));
    first = arithmetic.shift_right_jamming(first, distance_first);
    second = arithmetic.shift_right_jamming(second, distance_second);
    const term differ = sign != z.sign;
    const wide added = arithmetic.add(first, second);
    const term is_less = (first.high < second.high) | ((first.high == second.high) & (first.low < second.low));
    const wide down = arithmetic.subtract(first, second), up = arithmetic.subtract(second, first);
    const wide total{select(differ, select(is_less, up.high, down.high), added.high), select(differ, select(is_less, up.low, down.low), added.low)};
    const term total_sign = select(differ & is_less, z.sign, sign);
    const term zeros = select(total.high == 0, w.leading_zeros_of(total.low) + f.width, w.leading_zeros_of(total.high));
    const term is_nothing = (total.high | total.low) == 0;
    const wide normal = arithmetic.shift_left(total, select(is_nothing, zero, zeros));
    // The highest word holds all the bits that count; the lower one is jammed into it, one place further down.
    const term mantissa = shr(normal.high, 1) | (normal.high & one) | select(normal.low != 0, one, zero);
    const term result = w.round(total_sign, exponent + 2 - reinterpret(f.whole, zeros), mantissa, f.width - 2);
    const term both_negative = select((sign != 0) & (z.sign != 0), real(a, -0.0), real(a, 0.0));
    const term product_is_infinite = is_infinite(a) | is_infinite(b);
    const term invalid = is_nan(a) | is_nan(b) | is_nan(c) | (is_zero(a) & is_infinite(b)) | (is_infinite(a) & is_zero(b)) |
                         (product_is_infinite & is_infinite(c) & differ);
    const term infinite = real_of(sign | word(sign, w.infinity_bits()), f.real);
    return select(invalid, not_a_number(a),
                  select(product_is_infinite, infinite,
                         select(is_infinite(c), c, select(is_nothing, select(product_is_zero & addend_is_zero & !differ, both_negative, real(a, 0)), result))));
}

/// The sum is rounded to odd, from where rounding to 11 bits is correct (Boldo and Melquiond).
term half_fma(term a, term b, term c) {
    using enum ir::scalar_kind;
    const term p = cast(f32, a) * cast(f32, b), q = cast(f32, c);
    const pair s = sum(p, q);
    const term bits = bits_of(s.hi);
    const term is_even = (bits & word(bits, 1)) == 0;
    const term outward = (s.lo > 0) == (s.hi > 0);
    const term odd = real_of(select(outward, bits + 1, bits - 1), f32);
    const term is_finite = absolute(s.hi) < infinity(s.hi);
    return cast(f16, select(is_finite & (s.lo != 0) & is_even, odd, s.hi));
}

}  // namespace quern::spirv::lower
