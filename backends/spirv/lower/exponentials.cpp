// Exponentials, logarithms, powers and roots: argument reduction to twice the precision, then Taylor series that are
// cut where they fall below the last place.
#include <array>
#include <cmath>

#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {
namespace {

constexpr double log_2_hi = 0x1.62e42fefa39efp-1, log_2_lo = 0x1.abc9e3b39803fp-56;
constexpr double inverse_log_2_hi = 0x1.71547652b82fep+0, inverse_log_2_lo = 0x1.777d0ffda0d24p-56;
constexpr double inverse_log_10_hi = 0x1.bcb7b1526e50ep-2, inverse_log_10_lo = 0x1.95355baaafad3p-57;
constexpr double log10_of_2_hi = 0x1.34413509f79ffp-2, log10_of_2_lo = -0x1.9dc1da994fd21p-59;

bool is_double(const term& x) { return x.kind() == ir::scalar_kind::f64; }

/// 1/n! from n = first on.
template <std::size_t N>
std::array<double, N> inverse_factorials(int first) {
    std::array<double, N> c{};
    long double f = 1;
    for (int n = 2; n <= first; ++n) f *= n;
    for (std::size_t i = 0; i < N; ++i) {
        c[i] = static_cast<double>(1 / f);
        f *= first + static_cast<int>(i) + 1;
    }
    return c;
}

/// log 2 in three parts: the first so short that its products with exponents are exact.
struct log_2_parts {
    double first, second, third;
    explicit log_2_parts(const term& x) {
        const double unit = is_double(x) ? 0x1p-40 : 0x1p-15;
        first = std::floor(log_2_hi / unit) * unit;
        const double rest = log_2_hi - first;
        second = is_double(x) ? rest + log_2_lo : static_cast<double>(static_cast<float>(rest));
        third = (rest - second) + log_2_lo;
    }
};

struct reduced {
    pair rest;      ///< x - k log 2
    term exponent;  ///< k, whole
};

reduced reduce(pair x) {
    const log_2_parts l(x.hi);
    const term k = call(ir::op::rint, x.hi * inverse_log_2_hi);
    const pair rest = (sum(x.hi - k * l.first, x.lo) - product(k, real(k, l.second))) + -(k * l.third);
    return {rest, cast(format_of(x.hi.kind()).whole, k)};
}

/// e^r - 1 for |r| < 0.35
pair series(pair r) {
    const term x = r.hi;
    const term tail = is_double(x) ? polynomial(x, inverse_factorials<13>(2)) : polynomial(x, inverse_factorials<6>(2));
    return fast_sum(x, x * x * tail + (r.lo + r.lo * x));
}

term clamped(term x, double low, double high) { return select(x > high, real(x, high), select(x < low, real(x, low), x)); }
pair clamped(pair x, double low, double high) {
    const term inside = (x.hi <= high) & (x.hi >= low);
    return {clamped(x.hi, low, high), select(inside, x.lo, real(x.lo, 0))};
}

double highest_exponent(const term& x) { return is_double(x) ? 710.5 : 89.5; }
double lowest_exponent(const term& x) { return is_double(x) ? -746.5 : -104.5; }

}  // namespace

term exponential(pair x, int shift) {
    const pair inside = clamped(x, lowest_exponent(x.hi), highest_exponent(x.hi));
    const reduced r = reduce(inside);
    const pair t = series(r.rest);
    const pair e = fast_sum(real(x.hi, 1), t.hi);
    const term result = scale(e.hi + (e.lo + t.lo), r.exponent + shift);
    return select(is_nan(x.hi), x.hi, result);
}

pair exponential_less_one(pair x) {
    const reduced r = reduce(clamped(x, is_double(x.hi) ? -45 : -20, is_double(x.hi) ? 700 : 87));
    const term power = power_of_two(r.exponent, x.hi.kind());
    return sum(power, real(power, -1)) + times(series(r.rest), power);
}

term exp(term x) { return exponential(widened(x)); }

term exp2(term x) {
    const term inside = clamped(x, is_double(x) ? -1080 : -155, is_double(x) ? 1025 : 129);
    const term k = call(ir::op::rint, inside);
    const pair t = series(pair_constant(x, log_2_hi, log_2_lo) * (inside - k));
    const pair e = fast_sum(real(x, 1), t.hi);
    return select(is_nan(x), x, scale(e.hi + (e.lo + t.lo), cast(format_of(x.kind()).whole, k)));
}

term expm1(term x) {
    const term near = rounded(exponential_less_one(widened(x)));
    return select((x == 0) | is_nan(x), x, select(x > (is_double(x) ? 40.0 : 20.0), exp(x), near));
}

log_parts split_logarithm(pair x, effort e) {
    const number_format& f = format_of(x.hi.kind());
    const term b = bits_of(x.hi), root_half = word(b, ir::encode_float(f.real, 0.70710678118654752));
    const term exponent = shr(reinterpret(f.whole, b - root_half), static_cast<unsigned>(f.fraction));
    const term m = real_of(b - shl(reinterpret(f.word, exponent), static_cast<unsigned>(f.fraction)), f.real);
    const pair n = sum(m - 1, scale(x.lo, -exponent));
    const pair s = n / (sum(real(m, 2), n.hi) + n.lo);
    // log m = 2 (s + s^3/3 + s^5/5 + ...)
    const pair square = s * s;
    std::array<double, 13> odd{};
    for (std::size_t i = 0; i < odd.size(); ++i) odd[i] = 1.0 / static_cast<double>(2 * i + 3);
    const auto used = std::span<const double>(odd).first(is_double(m) ? 12 : 6);
    const pair twice{s.hi + s.hi, s.lo + s.lo};
    if (e == effort::usual) {
        const term tail = twice.hi * square.hi * polynomial(square.hi, used);
        return {cast(f.real, exponent), fast_sum(twice.hi, twice.lo + tail)};
    }
    const pair third = pair_constant(m, 0x1.5555555555555p-2, 0x1.5555555555555p-56);
    const pair factor = third + square.hi * polynomial(square.hi, used.subspan(1));
    return {cast(f.real, exponent), twice + twice * square * factor};
}

pair join(const log_parts& l) {
    const log_2_parts c(l.exponent);
    pair scaled = product(l.exponent, real(l.exponent, c.second));
    scaled.lo = scaled.lo + l.exponent * c.third;
    return sum(l.exponent * c.first, l.mantissa.hi) + (scaled + l.mantissa.lo);
}

pair logarithm(pair x) { return join(split_logarithm(x, effort::usual)); }

namespace {

/// Normal: denormals are taken up, and their exponent back down.
log_parts of_any_size(term x, effort e) {
    const number_format& f = format_of(x.kind());
    const term is_small = x < std::ldexp(1.0, 1 - f.bias);
    const term up = select(is_small, x * std::ldexp(1.0, f.precision), x);
    log_parts l = split_logarithm(widened(up), e);
    l.exponent = l.exponent - select(is_small, real(x, f.precision), real(x, 0));
    return l;
}

term log_specials(term x, term result) {
    const term valid = select(x == infinity(x), x, result);
    return select(x == 0, -infinity(x), select(x > 0, valid, not_a_number(x)));
}

}  // namespace

term log(term x) { return log_specials(x, rounded(join(of_any_size(x, effort::usual)))); }

term log2(term x) {
    const log_parts l = of_any_size(x, effort::usual);
    return log_specials(x, rounded(l.mantissa * pair_constant(x, inverse_log_2_hi, inverse_log_2_lo) + l.exponent));
}

term log10(term x) {
    const log_parts l = of_any_size(x, effort::usual);
    const pair exponents = pair_constant(x, log10_of_2_hi, log10_of_2_lo) * l.exponent;
    return log_specials(x, rounded(exponents + l.mantissa * pair_constant(x, inverse_log_10_hi, inverse_log_10_lo)));
}

term log1p(term x) {
    const term result = rounded(logarithm(sum(real(x, 1), x)));
    const term valid = select((x == infinity(x)) | (x == 0), x, result);
    const term tiny = absolute(x) < std::ldexp(1.0, -format_of(x.kind()).precision - 1);
    return select(x == -1, -infinity(x), select(x > -1, select(tiny, x, valid), not_a_number(x)));
}

term power(term x, term y) {
    const number_format& f = format_of(x.kind());
    const term base = absolute(x), huge = std::ldexp(1.0, f.precision + 11) * real(x, 1);
    const term exponent = select(y > huge, huge, select(y < -huge, -huge, y));
    const pair l = join(of_any_size(base, effort::more));
    const term magnitude = exponential(l * exponent);
    const term inf = infinity(x), zero = real(x, 0), one = real(x, 1), half = y * 0.5;
    const term is_whole = call(ir::op::trunc, y) == y;
    const term is_odd = is_whole & (call(ir::op::trunc, half) != half) & (absolute(y) < std::ldexp(1.0, f.precision));
    const term falls = y < 0;
    term r = select(base == 0, select(falls, inf, zero), magnitude);
    r = select(base == inf, select(falls, zero, inf), r);
    r = select(absolute(y) == inf, select(base == 1, one, select((base > 1) == (y > 0), inf, zero)), r);
    const term is_negative = (bits_of(x) & word(bits_of(x), std::uint64_t{1} << (f.width - 1))) != 0;
    r = select(is_negative & is_odd, -r, r);
    r = select((x < 0) & (base != inf) & !is_whole & (absolute(y) != inf), not_a_number(x), r);
    r = select(is_nan(x) | is_nan(y), not_a_number(x), r);
    return select((y == 0) | (x == 1), one, r);
}

term cube_root(term x) {
    const pair third = pair_constant(x, 0x1.5555555555555p-2, 0x1.5555555555555p-56);
    const term root = exponential(join(of_any_size(absolute(x), effort::more)) * third);
    return select((x == 0) | is_nan(x) | (absolute(x) == infinity(x)), x, with_sign(root, x));
}

term reciprocal_root(term x) {
    const number_format& f = format_of(x.kind());
    const int up = f.precision + f.precision % 2;
    const term is_small = x < std::ldexp(1.0, 2 * f.precision + 2 - f.bias);
    const term n = select(is_small, x * std::ldexp(1.0, up), x);
    const term y = 1 / call(ir::op::sqrt, n);
    const pair once = product(n, y), twice = product(once.hi, y);
    const term rest = ((1 - twice.hi) - twice.lo) - once.lo * y;
    const term root = (y + y * (rest * 0.5)) * select(is_small, real(x, std::ldexp(1.0, up / 2)), real(x, 1));
    const term result = select(x == infinity(x), real(x, 0), root);
    return select(x == 0, with_sign(infinity(x), x), select(x > 0, result, not_a_number(x)));
}

term hypotenuse(term x, term y) {
    const number_format& f = format_of(x.kind());
    const term a = absolute(x), b = absolute(y);
    const term large = select(a > b, a, b), small = select(a > b, b, a);
    // Scaled so that the squares neither overflow nor vanish.
    const term is_large = large > std::ldexp(1.0, f.bias / 2), is_small = large < std::ldexp(1.0, -f.bias / 4);
    const int steps = f.bias / 2 + f.precision;
    const term to = select(is_large, real(x, std::ldexp(1.0, -steps)), select(is_small, real(x, std::ldexp(1.0, steps)), real(x, 1)));
    const term back = select(is_large, real(x, std::ldexp(1.0, steps)), select(is_small, real(x, std::ldexp(1.0, -steps)), real(x, 1)));
    const term p = large * to, q = small * to;
    const term root = rounded(square_root(product(p, p) + product(q, q))) * back;
    const term result = select(large == 0, large, root);
    return select((a == infinity(x)) | (b == infinity(x)), infinity(x), select(is_nan(x) | is_nan(y), not_a_number(x), result));
}

}  // namespace quern::spirv::lower
