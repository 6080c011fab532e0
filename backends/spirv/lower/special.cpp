// Error functions and gamma functions: polynomials fitted at Chebyshev's nodes (by interpolation in 400 bits), Stirling's series, reflections.
#include <cmath>
#include <span>

#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {
namespace {

// erf(x) / x - 1 in x^2 on [0, 1]; (1 + 2x) e^(x^2) erfc(x) in (x - 4) / (x + 4) from x = 0.45 on;
// log gamma(1 + t) / t and log gamma(2 + t) / t on [-0.5, 0.5]; B(2n) / (2n (2n - 1))
constexpr double erf_near_single[] = {0x1.06eba82022eadp-3, -0x1.81274665754c3p-2, 0x1.ce2f08fec14fdp-4,
    -0x1.b829c897922e5p-6, 0x1.562a60ddba6e6p-8, -0x1.bccf664d7f763p-11, 0x1.d887505de3ba6p-14, -0x1.445f47d33d87bp-17};
constexpr double erf_near_twice[] = {0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4,
    -0x1.b82ce31288b51p-6, 0x1.565bcd0e6a530p-8, -0x1.c02db400406a3p-11, 0x1.f9a326f9a7769p-14, -0x1.f4d25c3b729a6p-17,
    0x1.b9e6c9944bd7ep-20, -0x1.5f74291398641p-23, 0x1.fcc4c8ec29638p-27, -0x1.51cfe00be885fp-30,
    0x1.9df7fd0b39a12p-34, -0x1.d332e777f7344p-38, 0x1.cf915d8f3c685p-42, -0x1.3aa422cc5d833p-46};
constexpr double erfc_far_single[] = {0x1.3ba5916f725c3p+0, -0x1.1df1ad508b3b1p-3, 0x1.f7f588fe3bfccp-7,
    0x1.16ed093935198p-4, -0x1.9dd9a682de187p-4, 0x1.7fed34ab1936cp-4, -0x1.0fc37dc7a7effp-4, 0x1.3066efb575187p-5,
    -0x1.07d5a5f159e1dp-6, 0x1.5189652ef3a20p-8, -0x1.d8710ab25baa0p-11, -0x1.16c209039e573p-11};
constexpr double erfc_far_twice[] = {0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd7bfp-7,
    0x1.16ecefcfa5396p-4, -0x1.9ddb23c3e911ep-4, 0x1.7fee004e1253cp-4, -0x1.0fb06dfe487acp-4, 0x1.3079edf682dcep-5,
    -0x1.0962388557101p-6, 0x1.49c67285ffe6dp-8, -0x1.8d4a997fef00ap-11, -0x1.a1df2513c2924p-13, 0x1.3be031502ff4ap-13,
    -0x1.99595f0bf5418p-16, -0x1.7881287f6a937p-17, 0x1.7f2b172d1c8f2p-18, 0x1.383b3bc096130p-22,
    -0x1.bb5585b67e66cp-21, 0x1.53f570fcaf205p-24, 0x1.ddc74c0c27dc5p-24, -0x1.7d4f2119ff070p-26,
    -0x1.0edc8eef154ecp-26, 0x1.21c77d4ab5551p-28, 0x1.4eacb5ab3e4bep-29, -0x1.72e5195334a52p-31,
    -0x1.9a422df1f8043p-32, 0x1.61a43460ec1dbp-34, 0x1.5acf7de9bec92p-35, -0x1.1b8994f6bec98p-38};
constexpr double gamma_at_1_single[] = {-0x1.2788cfd0fc1abp-1, 0x1.a51a662ea0340p-1, -0x1.9a4d372e510f6p-2,
    0x1.151305d752681p-2, -0x1.a8c8dc02195b4p-3, 0x1.5b4f0a512c524p-3, -0x1.25a1830e085b8p-3, 0x1.ff7a731b6300fp-4,
    -0x1.e660b86798c15p-4, 0x1.b6a08d1786f6ap-4, -0x1.9e2374e399c75p-5, 0x1.72eacd64b6433p-5, -0x1.6be500b18148fp-3,
    0x1.54914f68ef1d6p-3};
constexpr double gamma_at_1_twice[] = {-0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab2d8p-2,
    0x1.151322ac7d849p-2, -0x1.a8b9c17aa5eb3p-3, 0x1.5b40cb100c081p-3, -0x1.2703a1dcffe0fp-3, 0x1.010b36af9b4f0p-3,
    -0x1.c80670617bbadp-4, 0x1.9a01e37a4909ap-4, -0x1.748c3506e9857p-4, 0x1.556ad81ac9eeap-4, -0x1.3b1d60e37f8bbp-4,
    0x1.2496aab15e19ap-4, -0x1.11173de84765bp-4, 0x1.0004eed57e7d0p-4, -0x1.e17584f4f8873p-5, 0x1.c6b27158a7797p-5,
    -0x1.b357298801f05p-5, 0x1.9dac32f3b7144p-5, -0x1.6843db6e50cbep-5, 0x1.5750d060d0c5ap-5, -0x1.fe780fdd50e8bp-5,
    0x1.eb92dac7891fbp-5, 0x1.e0e6fe586261cp-6, -0x1.dc2a23a936792p-6, -0x1.b195afa5fe74ap-3, 0x1.a568f1cbee466p-3,
    0x1.f0dce3857c0f2p-3, -0x1.e41a3404fd15dp-3, -0x1.084cf8c6380ddp-2, 0x1.0106d088fc137p-2};
constexpr double gamma_at_2_single[] = {0x1.b0ee60705a30cp-2, 0x1.4a34cc4b2623bp-2, -0x1.13dffc63bd110p-4,
    0x1.51322129f7120p-6, -0x1.e40f7070e5c3ap-8, 0x1.7ae6febb2693dp-9, -0x1.36ddb843620cep-10, 0x1.098f9482bf48ap-11,
    -0x1.0a25820054349p-12, 0x1.dbf0833dddc72p-14};
constexpr double gamma_at_2_twice[] = {0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557606p-4,
    0x1.51322ac7d8483p-6, -0x1.e404fc218f683p-8, 0x1.7add6eadb6cbbp-9, -0x1.38ac5c2bf00bfp-10, 0x1.0b36af8630f5fp-11,
    -0x1.d3fd4c7f9fa26p-13, 0x1.a127b0f9ee692p-14, -0x1.78de594a1f5d8p-15, 0x1.580dcc735f957p-16,
    -0x1.3cbd0c34c2671p-17, 0x1.259814c96e3bdp-18, -0x1.11a54bc3cfe3cp-19, 0x1.0057bc58baf67p-20,
    -0x1.e46267845840ap-22, 0x1.c959188a8539dp-23, -0x1.98152dabaf411p-24, 0x1.8367966486352p-25,
    -0x1.0cfcd77c3ec5fp-25, 0x1.01127da9788f9p-26};
constexpr double stirling[] = {0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
    -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6,
    0x1.6fe96381e0680p-3, -0x1.6476701181f3ap+0, 0x1.ace44322ce006p+3, -0x1.39b2525cccc1bp+7};

constexpr double half_log_two_pi[] = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
constexpr double log_pi[] = {0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57};
constexpr double stirling_start = 10;  // the series is good enough from here on

bool is_double(const term& x) { return x.kind() == ir::scalar_kind::f64; }

/// erfc of x in [0.5, 28]
term far_complement(term x) {
    const term t = (x - 4) / (x + 4);
    const term p = is_double(x) ? polynomial(t, erfc_far_twice) : polynomial(t, erfc_far_single);
    const pair ratio = widened(p) / (sum(real(x, 1), x + x));
    // e^(-x^2): the square's lower half counts
    const pair square = product(x, x);
    return exponential(-square) * rounded(ratio);
}

term near_error(term x) {
    const term z = x * x, p = is_double(x) ? polynomial(z, erf_near_twice) : polynomial(z, erf_near_single);
    return x + x * p;
}

term limited(term x, double low, double high) { return select(x < low, real(x, low), select(x > high, real(x, high), x)); }

/// log gamma of x >= 10 as a pair
pair stirling_series(term x) {
    const pair reciprocal = widened(real(x, 1)) / widened(x);
    const term z = reciprocal.hi * reciprocal.hi;
    const auto used = std::span<const double>(stirling).first(is_double(x) ? 12 : 5);
    const pair first = reciprocal * pair_constant(x, 0x1.5555555555555p-4, 0x1.5555555555555p-58);
    const pair l = join(split_logarithm(widened(x), effort::more));
    const pair constant_part = pair_constant(x, half_log_two_pi[0], half_log_two_pi[1]);
    return (l * sum(x, real(x, -0.5)) + -x) + (constant_part + (first + reciprocal.hi * z * polynomial(z, used.subspan(1))));
}

/// gamma(w) = e^log_shifted / divisor for w >= 0.5, with w possibly known to more places than its word has.
struct gamma_parts {
    pair log_shifted, divisor;
};

gamma_parts take_apart(pair w) {
    const term is_small = w.hi < stirling_start;
    const pair moved = select(is_small, w + real(w.hi, stirling_start), w);
    pair divisor = w;
    for (int i = 1; i < static_cast<int>(stirling_start); ++i) divisor = divisor * (w + real(w.hi, i));
    // By the derivative of log gamma, log w - 1 / (2 w), for what the first word leaves out.
    const term slope = rounded(logarithm(widened(moved.hi))) - 0.5 / moved.hi;
    return {stirling_series(moved.hi) + slope * moved.lo, select(is_small, divisor, widened(real(w.hi, 1)))};
}

/// 1 - x where x is below 0.5, so that what follows is at least that.
pair reflected(term x) { return sum(real(x, 1), -select(x < 0.5, x, real(x, 0))); }

/// sin(pi x) for a pole-free x; 1 elsewhere.
pair sine_or_one(term x, term is_pole) {
    return select(is_pole | !(absolute(x) < 1e6), widened(real(x, 1)), sine_of_half_turns(select(absolute(x) < 1e6, x, real(x, 0.5))));
}

pair pi_pair(const term& x) { return pair_constant(x, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53); }

}  // namespace

term erf(term x) {
    const term a = absolute(x), near = near_error(select(a < 1, x, real(x, 0)));
    const term far = 1 - far_complement(limited(a, 0.5, 10));
    return select(is_nan(x), x, select(a < 0.75, near, with_sign(far, x)));
}

term erfc(term x) {
    const term a = absolute(x);
    const term inner = 1 - near_error(select(a < 1, x, real(x, 0)));
    const term outer = far_complement(limited(a, 0.5, is_double(x) ? 27.5 : 10.2));
    const term far = select(x > 0, outer, 2 - outer);
    const term end = is_double(x) ? real(x, 27.3) : real(x, 10.1);
    return select(is_nan(x), x, select(a < 0.5, inner, select(x > end, real(x, 0), far)));
}

/// For x < 0.5 by reflection: gamma(x) = pi / (sin(pi x) gamma(1 - x)).
term gamma(term x) {
    const double most = is_double(x) ? 190 : 50;
    const int spare = is_double(x) ? 120 : 30;  // keeps the reciprocal of a large gamma away from the denormals
    const term inside = limited(x, -most, most), mirrors = x < 0.5;
    const gamma_parts g = take_apart(select(mirrors, reflected(inside), widened(select(mirrors, real(x, 1), inside))));
    const term is_pole = (call(ir::op::trunc, x) == x) & (x < 0);
    const term direct = exponential(g.log_shifted) * rounded(widened(real(x, 1)) / g.divisor);
    const term is_tiny = absolute(x) < std::ldexp(1.0, -format_of(x.kind()).precision - 2);
    const pair sine = sine_or_one(select(is_tiny, real(x, 0.5), inside), is_pole);
    const term factor = rounded(pi_pair(x) * g.divisor / sine);
    const term mirrored = exponential(-g.log_shifted, spare) * factor * std::ldexp(1.0, -spare);
    const term result = select(is_tiny, 1 / x, select(mirrors, mirrored, direct));
    const term floor = call(ir::op::floor, x), half = floor * 0.5;
    const term sign = select(call(ir::op::floor, half) != half, real(x, -1), real(x, 1));  // negative from odd to even
    const term beyond = select(x > most, infinity(x), select(x < -most, with_sign(real(x, 0), sign), result));
    const term is_invalid = is_nan(x) | is_pole | (x == -infinity(x));
    return select(is_invalid, not_a_number(x), select(x == 0, with_sign(infinity(x), x), beyond));
}

/// By polynomials around its zeros at 1 and 2, by Stirling's series above, by reflection below 0.
term log_gamma(term x) {
    const term is_negative = x < 0, inside = limited(x, -4.6e15, 1e15);
    const gamma_parts g = take_apart(select(is_negative, reflected(inside), widened(select(x < 0.5, real(x, 1), inside))));
    const pair series = g.log_shifted - logarithm(g.divisor);
    const auto around = [&](term t, const auto& twice, const auto& single) {
        return t * (is_double(x) ? polynomial(t, twice) : polynomial(t, single));
    };
    const term above_1 = around(limited(select(x < 0.5, x, x - 1), -0.5, 0.5), gamma_at_1_twice, gamma_at_1_single);
    const term above_2 = around(limited(x - 2, -0.5, 0.5), gamma_at_2_twice, gamma_at_2_single);
    const term tiny = std::ldexp(1.0, -format_of(x.kind()).precision) * real(x, 1);
    const term is_tiny = absolute(x) < tiny;
    const term magnitude = log(absolute(x));
    const pair below_half = logarithm(widened(select(is_tiny | is_negative, real(x, 1), inside)));
    term result = select(x < 2.5, above_2, rounded(series));
    result = select(x < 1.5, above_1, result);
    result = select(x < 0.5, rounded(-below_half + above_1), result);
    result = select(x > 1e8, x * (magnitude - 1) - 0.5 * magnitude + half_log_two_pi[0], result);
    const term is_pole = (call(ir::op::trunc, x) == x) & (x <= 0);
    // Far out the whole part is cut off first, exactly; the sign is of no account.
    const term turn = select(absolute(inside) > 1e5, inside - call(ir::op::floor, inside), inside);
    const pair sine = sine_or_one(select(is_tiny, real(x, 0.5), turn), is_pole);
    const pair positive = select(sine.hi < 0, -sine, sine);
    const pair mirrored = (pair_constant(x, log_pi[0], log_pi[1]) - logarithm(positive)) - series;
    result = select(is_negative, rounded(mirrored), result);
    result = select(is_tiny, -magnitude, select((x == 1) | (x == 2), real(x, 0), result));
    return select(is_nan(x), x, select(is_pole | (absolute(x) == infinity(x)), infinity(x), result));
}

}  // namespace quern::spirv::lower
