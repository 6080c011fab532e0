// Circular functions and their inverses. Arguments are reduced by pi/2 known to three words, large ones by the digits
// of 2/pi that count (Payne and Hanek, "Radian reduction for trigonometric functions", 1983).
#include <array>
#include <cmath>
#include <span>

#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {
namespace {

constexpr double half_pi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

bool is_double(const term& x) { return x.kind() == ir::scalar_kind::f64; }
pair half_pi_pair(const term& x) { return pair_constant(x, half_pi[0], half_pi[1]); }

/// 2/pi in 32-bit digits.
constexpr std::uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d, 0xa9e39161, 0x5ee61b08};

struct angle {
    pair rest;      ///< within pi/4 of 0
    term quadrant;  ///< word; its lowest two bits count
};

angle reduce_moderate(term x) {
    const number_format& f = format_of(x.kind());
    const term k = call(ir::op::rint, x * (1 / half_pi[0]));
    // In single precision the same number in pieces of 24 bits.
    double pieces[4] = {half_pi[0], half_pi[1], half_pi[2], 0};
    if (!is_double(x)) {
        double rest = half_pi[0];
        for (int i = 0; i < 4; ++i) {
            pieces[i] = static_cast<double>(static_cast<float>(rest));
            rest -= pieces[i];
            if (i == 1) rest += half_pi[1];
        }
    }
    const pair first = product(k, real(k, pieces[0]));
    pair r = sum(x - first.hi, -first.lo);
    for (int i = 1; i < (is_double(x) ? 3 : 4); ++i) r = r - product(k, real(k, pieces[i]));
    return {r, reinterpret(f.word, cast(f.whole, k))};
}

/// x = mantissa * 2^e: digits of half a word each, of which six behind the point are kept.
angle reduce_large(term x) {
    const number_format& f = format_of(x.kind());
    code& in = *x.in;
    constexpr int fraction_digits = 6, mantissa_digits = 3;
    const int bits = f.width / 2;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const term b = bits_of(x), field = shr(b, static_cast<unsigned>(f.fraction)) & word(b, (std::uint64_t{1} << (f.width - 1 - f.fraction)) - 1);
    const term mantissa = (b & word(b, (std::uint64_t{1} << f.fraction) - 1)) | word(b, std::uint64_t{1} << f.fraction);
    const term e = field - static_cast<double>(f.bias + f.fraction);  // >= 0: smaller arguments do not come here
    const term whole_digits = shr(e, bits == 32 ? 5 : 4), shift = e & word(e, static_cast<std::uint64_t>(bits - 1));
    const term upper = select(shift == 0, word(b, 0), mantissa >> (word(b, static_cast<std::uint64_t>(f.width)) - shift));
    const term lower = mantissa << shift;
    const std::array<term, mantissa_digits> m{lower & word(b, mask), shr(lower, static_cast<unsigned>(bits)), upper};

    // Digit d of 2/pi has weight 2^(-bits (d + 1)); negative digits are zeros in front of the table.
    constexpr std::uint32_t in_front = 2;
    std::vector<ir::value_id> digits(in_front, word(b, 0).id);
    for (const std::uint32_t d : two_over_pi) {
        if (bits == 16) digits.push_back(word(b, d >> 16).id);
        digits.push_back(word(b, bits == 16 ? d & 0xffff : d).id);
        if (bits == 16 && digits.size() > 24) break;
    }
    ir::builder& builder = in.builder();
    const ir::type_id table_type = ir::intern_array(builder.target(), ir::intern_scalar(builder.target(), f.word), static_cast<std::uint32_t>(digits.size()));
    const ir::value_id table_value = builder.define(ir::op::construct, std::span<const ir::value_id>(digits), 0, table_type);
    const ir::variable_id table = builder.add_variable({ir::storage::local, table_type});
    builder.append(ir::declare{table});
    builder.append(ir::store{builder.add_place(ir::root_kind::variable, table.number, {}), table_value});
    const term first = cast(ir::scalar_kind::u32, whole_digits);
    const auto digit = [&](int d) {  // number whole_digits + d - 1
        const term at = first + static_cast<double>(d - 1 + static_cast<int>(in_front));
        const ir::step step{ir::step::kind::index, at.id, 0};
        return term{&in, builder.load(builder.add_place(ir::root_kind::variable, table.number, std::span(&step, 1)))};
    };
    std::vector<term> t;
    for (int d = 0; d <= fraction_digits + mantissa_digits; ++d) t.push_back(digit(d));

    // Column n of the product, from the last one up: the sum over i of m[i] * digit number (whole_digits + i - n - 1).
    std::array<term, fraction_digits + 1> column{};
    term carry = word(b, 0);
    std::array<term, mantissa_digits> previous{word(b, 0), word(b, 0), word(b, 0)};
    for (int n = -fraction_digits - 1; n <= 0; ++n) {
        term total = carry;
        for (int i = 0; i < mantissa_digits; ++i) {
            const int d = i - n;
            const term p = m[static_cast<std::size_t>(i)] * t[static_cast<std::size_t>(d)];
            total = total + (p & word(b, mask)) + previous[static_cast<std::size_t>(i)];
            previous[static_cast<std::size_t>(i)] = shr(p, static_cast<unsigned>(bits));
        }
        carry = shr(total, static_cast<unsigned>(bits));
        if (n > -fraction_digits - 1) column[static_cast<std::size_t>(n + fraction_digits)] = total & word(b, mask);
    }
    const term whole = column[fraction_digits];
    const term up = shr(column[fraction_digits - 1], static_cast<unsigned>(bits - 1)) != 0;  // a half or more
    pair rest{real(x, 0), real(x, 0)};
    for (int n = fraction_digits - 1; n >= 0; --n) {
        const term d = column[static_cast<std::size_t>(n)], value = select(up, word(b, mask) - d, d);
        rest = rest + cast(f.real, value) * std::ldexp(1.0, -bits * (fraction_digits - n));
    }
    pair r = rest * half_pi_pair(x);
    r = select(up, -r, r);
    const term quadrant = whole + select(up, word(b, 1), word(b, 0));
    const term negative = x < 0;
    return {select(negative, -r, r), select(negative, word(b, 0) - quadrant, quadrant)};
}

angle reduce(term x) {
    const number_format& f = format_of(x.kind());
    const term is_large = absolute(x) > (is_double(x) ? 0x1p28 : 0x1p14);
    const term is_finite = absolute(x) < infinity(x);
    const angle a = reduce_moderate(select(is_large | !is_finite, real(x, 0), x));
    const variable hi(a.rest.hi), lo(a.rest.lo), quadrant(a.quadrant);
    // The digits' positions need an exponent of at least the fraction's length: smaller arguments are scaled by it.
    x.in->if_(is_large & is_finite, [&] {
        const term at_least = select(absolute(x) < std::ldexp(1.0, f.fraction), real(x, std::ldexp(1.0, f.fraction)), x);
        const angle large = reduce_large(at_least), medium = reduce_moderate(x);
        const term use_large = absolute(x) >= std::ldexp(1.0, f.fraction);
        hi.set(select(use_large, large.rest.hi, medium.rest.hi));
        lo.set(select(use_large, large.rest.lo, medium.rest.lo));
        quadrant.set(select(use_large, large.quadrant, medium.quadrant));
    });
    return {{hi.get(), lo.get()}, quadrant.get()};
}

/// Series coefficients with alternating signs: (-1)^i / (first + 2i)!
template <std::size_t N>
std::array<double, N> alternating(int first) {
    std::array<double, N> c{};
    long double factorial = 1;
    for (int n = 2; n <= first; ++n) factorial *= n;
    for (std::size_t i = 0; i < N; ++i) {
        c[i] = static_cast<double>((i % 2 == 0 ? 1 : -1) / factorial);
        const int n = first + 2 * static_cast<int>(i);
        factorial *= static_cast<long double>(n + 1) * (n + 2);
    }
    return c;
}

pair sine(pair r) {
    const term z = r.hi * r.hi;
    const term tail = is_double(z) ? polynomial(z, alternating<9>(3)) : polynomial(z, alternating<4>(3));
    return fast_sum(r.hi, (r.lo - r.lo * (z * 0.5)) - r.hi * z * tail);
}

pair cosine(pair r) {
    const pair square = product(r.hi, r.hi);
    const term z = square.hi, half = z * 0.5;
    const term tail = is_double(z) ? polynomial(z, alternating<8>(4)) : polynomial(z, alternating<4>(4));
    const pair first = fast_sum(real(z, 1), -half);
    return fast_sum(first.hi, first.lo + (z * z * tail - square.lo * 0.5 - r.hi * r.lo));
}

term has_bit(term w, std::uint64_t n) { return (w & word(w, n)) != 0; }
term only_finite(term x, term result) { return select(absolute(x) < infinity(x), result, not_a_number(x)); }

/// atan of a ratio in [0, 1]: the nearest quarter's arc tangent plus that of the rest.
pair arc_of_ratio(pair a) {
    constexpr double arcs[][2] = {{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                  {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                  {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                  {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    const term k = call(ir::op::rint, a.hi * 4.0), c = k * 0.25;
    pair base{real(k, 0), real(k, 0)};
    for (int i = 0; i < 4; ++i) base = select(k == static_cast<double>(i + 1), pair_constant(k, arcs[i][0], arcs[i][1]), base);
    const pair t = (a + -c) / (a * c + real(k, 1));
    const term z = t.hi * t.hi;
    std::array<double, 10> odd{};
    for (std::size_t i = 0; i < odd.size(); ++i) odd[i] = (i % 2 == 0 ? -1.0 : 1.0) / static_cast<double>(2 * i + 3);
    const auto used = std::span<const double>(odd).first(is_double(k) ? 10 : 4);
    const pair rest = fast_sum(t.hi, t.lo + t.hi * z * polynomial(z, used));
    return select(k == 0, rest, base + rest);
}

/// The angle of (x, y) with y, x >= 0, not both 0.
pair arc(pair y, pair x) {
    const term swapped = y.hi > x.hi;
    const pair a = arc_of_ratio(select(swapped, x, y) / select(swapped, y, x));
    return select(swapped, half_pi_pair(y.hi) - a, a);
}

term full_pi_minus(term negative, pair a) {
    const pair pi = pair_constant(a.hi, 2 * half_pi[0], 2 * half_pi[1]);
    return rounded(select(negative, pi - a, a));
}

term sign_bit(term x) { return with_sign(real(x, 1), x) < 0; }

/// sqrt(1 - x^2) for |x| <= 1
pair opposite(term x) {
    const pair square = sum(real(x, 1), -x) * sum(real(x, 1), x);
    const term is_zero = square.hi == 0;
    const pair root = square_root({select(is_zero, real(x, 1), square.hi), select(is_zero, real(x, 0), square.lo)});
    return {select(is_zero, real(x, 0), root.hi), select(is_zero, real(x, 0), root.lo)};
}

}  // namespace

term sin(term x) {
    const angle a = reduce(x);
    const term s = rounded(sine(a.rest)), c = rounded(cosine(a.rest));
    const term value = select(has_bit(a.quadrant, 1), c, s);
    return only_finite(x, select(x == 0, x, select(has_bit(a.quadrant, 2), -value, value)));
}

term cos(term x) {
    const angle a = reduce(x);
    const term s = rounded(sine(a.rest)), c = rounded(cosine(a.rest));
    const term value = select(has_bit(a.quadrant, 1), s, c);
    return only_finite(x, select(has_bit(a.quadrant + 1, 2), -value, value));
}

term tan(term x) {
    const angle a = reduce(x);
    const pair s = sine(a.rest), c = cosine(a.rest);
    const term odd = has_bit(a.quadrant, 1);
    const term value = rounded(select(odd, -c, s) / select(odd, s, c));
    return only_finite(x, select(x == 0, x, value));
}

pair sine_of_half_turns(term x) {
    const term k = call(ir::op::rint, x * 2.0), rest = x - k * 0.5;
    const pair r = pair_constant(x, 2 * half_pi[0], 2 * half_pi[1]) * rest;
    const number_format& f = format_of(x.kind());
    const term quadrant = reinterpret(f.word, cast(f.whole, k));
    const pair value = select(has_bit(quadrant, 1), cosine(r), sine(r));
    return select(has_bit(quadrant, 2), -value, value);
}

term atan2(term y, term x) {
    const term inf = infinity(x), zero = real(x, 0), one = real(x, 1);
    term a = absolute(y), b = absolute(x);
    const term both = (a == inf) & (b == inf), either = (a == inf) | (b == inf);
    a = select(either, select(a == inf, one, zero), a);
    b = select(either, select(both, one, select(b == inf, one, zero)), b);
    const term nothing = (a == 0) & (b == 0);
    b = select(nothing, one, b);
    // Away from the ends of the range, where a quotient's correction would vanish or overflow.
    const number_format& f = format_of(x.kind());
    const term large = select(a > b, a, b);
    const term is_large = large > std::ldexp(1.0, f.bias / 2), is_small = large < std::ldexp(1.0, -f.bias / 2);
    const term factor = select(is_large, real(x, std::ldexp(1.0, -f.bias / 2)), select(is_small, real(x, std::ldexp(1.0, f.bias / 2)), one));
    const pair ratio = arc(widened(a * factor), widened(b * factor));
    // A tiny quotient is its own arc tangent; its correction would be lost.
    const term quotient = a / b, is_tiny = (a < b) & (quotient < std::ldexp(1.0, 2 * f.precision - f.bias));
    const pair angle = select(is_tiny, widened(quotient), ratio);
    const term result = with_sign(full_pi_minus(sign_bit(x), angle), y);
    return select(is_nan(x) | is_nan(y), not_a_number(x), result);
}

term atan(term x) { return select(x == 0, x, atan2(x, real(x, 1))); }

term asin(term x) {
    const term a = absolute(x), inside = select(a <= 1, a, real(x, 0));
    const pair value = arc(widened(inside), opposite(inside));
    const term is_tiny = a < std::ldexp(1.0, -format_of(x.kind()).precision / 2 - 2);
    const term result = select(is_tiny, a + a * a * (a * (1.0 / 6)), rounded(value));
    return select(x == 0, x, select(a <= 1, with_sign(result, x), not_a_number(x)));
}

term acos(term x) {
    const term a = absolute(x), inside = select(a <= 1, a, real(x, 0));
    return select(a <= 1, full_pi_minus(x < 0, arc(opposite(inside), widened(inside))), not_a_number(x));
}

}  // namespace quern::spirv::lower
