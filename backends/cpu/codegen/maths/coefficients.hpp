// Written by scripts/maths_coefficients.py. Polynomials, lowest coefficient first, behind each its largest error (weighted
// as the script says); and the binary digits of 2/pi.
#pragma once

#include <cstdint>
#include <span>

namespace quern::cpu::codegen::maths {

/// A constant as a sum of three floats or doubles, each cut off towards zero, so that all have one sign.
struct expansion {
    double f32[3], f64[3];
};

/// The same function for results of 24 and of 53 bits; empty where there is no use for one.
struct polynomial {
    std::span<const double> f32, f64;
};

// exp_tail: (exp(r) - 1 - r) / r^2
inline constexpr double exp_tail_f32[] = {0x1p-1, 0x1.5554bp-3, 0x1.5554d8p-5, 0x1.1227eep-7,
    0x1.6d5f8ep-10};  // 2^-26.2
inline constexpr double exp_tail_f64[] = {0x1.0000000000005p-1, 0x1.555555555555cp-3, 0x1.55555555520ap-5,
    0x1.111111110e732p-7, 0x1.6c16c17f56089p-10, 0x1.a01a01b5eeff5p-13, 0x1.a019a6170e658p-16, 0x1.71dde97a31585p-19,
    0x1.28a329498de9dp-22, 0x1.af77ef85e6d2dp-26};  // 2^-55.6
inline constexpr polynomial exp_tail{exp_tail_f32, exp_tail_f64};

// exp2_tail: (2^r - 1) / r
inline constexpr double exp2_tail_f32[] = {0x1.62e43p-1, 0x1.ebfbep-3, 0x1.c6af78p-5, 0x1.3b2a48p-7, 0x1.5f0ad2p-10,
    0x1.442526p-13};  // 2^-28.3
inline constexpr double exp2_tail_f64[] = {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5ap-3, 0x1.c6b08d704a152p-5,
    0x1.3b2ab6fba08e9p-7, 0x1.5d87fe7893563p-10, 0x1.4309130da6418p-13, 0x1.ffcbfca880c7ap-17, 0x1.62bfca0668dc8p-20,
    0x1.b52489c110762p-24, 0x1.e617e3b407a56p-28, 0x1.ea68a4ad9815p-32};  // 2^-57.9
inline constexpr polynomial exp2_tail{exp2_tail_f32, exp2_tail_f64};

// exp2_short: (2^r - 1) / r, for 24-bit results
inline constexpr double exp2_short_f64[] = {0x1.62e430d567ab3p-1, 0x1.ebfbe0b9071e3p-3, 0x1.c6aec81bb10e2p-5,
    0x1.3b29bcb8b80e2p-7, 0x1.5f4a6d2908821p-10, 0x1.44846a4349a1ep-13};  // 2^-29.0
inline constexpr polynomial exp2_short{{}, exp2_short_f64};

// log_tail: (log(1+f) - f) / f^2
inline constexpr double log_tail_f32[] = {-0x1p-1, 0x1.5555a2p-2, -0x1.00008p-2, 0x1.996b14p-3, -0x1.54de0ap-3,
    0x1.284af6p-3, -0x1.0e069p-3, 0x1.b15dbcp-4, -0x1.7a27c6p-5};  // 2^-27.7
inline constexpr polynomial log_tail{log_tail_f32, {}};

// log2_tail: (log2(1+f) - f/ln 2) / f^2
inline constexpr double log2_tail_f32[] = {-0x1.715476p-1, 0x1.ec711p-2, -0x1.715558p-2, 0x1.2754ccp-2,
    -0x1.ebbd12p-3, 0x1.ab75a8p-3, -0x1.85c922p-3, 0x1.38fe02p-3, -0x1.1124a8p-4};  // 2^-27.2
inline constexpr polynomial log2_tail{log2_tail_f32, {}};

// log10_tail: (log10(1+f) - f/ln 10) / f^2
inline constexpr double log10_tail_f32[] = {-0x1.bcb7bp-3, 0x1.287ab6p-3, -0x1.bcb93p-4, 0x1.639f52p-4,
    -0x1.2807aep-4, 0x1.013772p-4, -0x1.d57354p-5, 0x1.7a6d7cp-5, -0x1.4c0734p-6};  // 2^-28.9
inline constexpr polynomial log10_tail{log10_tail_f32, {}};

// atanh_tail: (2 atanh(s) - 2 s) / s^3, z = s^2
inline constexpr double atanh_tail_f32[] = {0x1.5555b6p-1, 0x1.99293cp-2, 0x1.37080cp-2};  // 2^-27.4
inline constexpr double atanh_tail_f64[] = {0x1.555555555554fp-1, 0x1.999999999c1bap-2, 0x1.24924921de321p-2,
    0x1.c71c749669d83p-3, 0x1.745c491b641a2p-3, 0x1.3b35fe094f3d1p-3, 0x1.0dc763ad896bcp-3,
    0x1.1b9ebe2280346p-3};  // 2^-61.6
inline constexpr polynomial atanh_tail{atanh_tail_f32, atanh_tail_f64};

// atanh_short: 2 atanh(s) / (s ln 2), z = s^2, for 24-bit results
inline constexpr double atanh_short_f64[] = {0x1.71547652b7e58p+1, 0x1.ec709dcb8f35p-1, 0x1.2776bc23859d4p-1,
    0x1.a61eb8947aa25p-2, 0x1.46ef67ddca0bbp-2, 0x1.29f33abb7aa5cp-2};  // 2^-40.8
inline constexpr polynomial atanh_short{{}, atanh_short_f64};

// atanh_rest: (2 atanh(s) - 2 s - 2/3 s^3) / s^5, z = s^2
inline constexpr double atanh_rest_f64[] = {0x1.999999999999ap-2, 0x1.2492492492354p-2, 0x1.c71c71c748b08p-3,
    0x1.745d172ce3de5p-3, 0x1.3b13b9601564dp-3, 0x1.110f6e2d9a246p-3, 0x1.e24ad06263accp-4, 0x1.a7332413bf04p-4,
    0x1.daba5043055b4p-4};  // 2^-74.6
inline constexpr polynomial atanh_rest{{}, atanh_rest_f64};

// sin_tail: (sin(r) - r) / r^3, z = r^2
inline constexpr double sin_tail_f32[] = {-0x1.555544p-3, 0x1.1106a8p-7, -0x1.990c5p-13};  // 2^-27.8
inline constexpr double sin_tail_f64[] = {-0x1.5555555555545p-3, 0x1.111111110f244p-7, -0x1.a01a019b4542cp-13,
    0x1.71de34c2fa633p-19, -0x1.ae5dd6ad4a68p-26, 0x1.5d68f3db41a4ep-33};  // 2^-57.6
inline constexpr polynomial sin_tail{sin_tail_f32, sin_tail_f64};

// cos_tail: (cos(r) - 1 + z/2) / z^2, z = r^2
inline constexpr double cos_tail_f32[] = {0x1.55554ap-5, -0x1.6c0c02p-10, 0x1.99d526p-16};  // 2^-32.9
inline constexpr double cos_tail_f64[] = {0x1.5555555555549p-5, -0x1.6c16c16c14b5ep-10, 0x1.a01a019c11f46p-16,
    -0x1.27e4f792c8c0bp-22, 0x1.1ee998ec12892p-29, -0x1.8f82d1731593fp-37};  // 2^-63.7
inline constexpr polynomial cos_tail{cos_tail_f32, cos_tail_f64};

// atan_tail: (atan(t) - t) / t^3, z = t^2
inline constexpr double atan_tail_f32[] = {-0x1.55554ap-2, 0x1.9991ep-3, -0x1.23b98p-3, 0x1.b2236p-4,
    -0x1.f2e688p-5};  // 2^-30.5
inline constexpr double atan_tail_f64[] = {-0x1.555555555553dp-2, 0x1.99999999958ap-3, -0x1.24924922aeff9p-3,
    0x1.c71c70e6a65c2p-4, -0x1.745cf8ea87049p-4, 0x1.3b1119e0a68f7p-4, -0x1.10ebbecabf595p-4, 0x1.df0f8ee27ef56p-5,
    -0x1.9cd389eede039p-5, 0x1.37d6e1ea08355p-5, -0x1.256bae7d28809p-6};  // 2^-59.5
inline constexpr polynomial atan_tail{atan_tail_f32, atan_tail_f64};

// asin_tail: (asin(t) - t) / t^3, z = t^2
inline constexpr double asin_tail_f32[] = {0x1.5555cap-3, 0x1.330156p-4, 0x1.748e1ep-5, 0x1.8b8128p-6,
    0x1.59ff9p-5};  // 2^-27.6
inline constexpr double asin_tail_f64[] = {0x1.5555555555578p-3, 0x1.333333332df38p-4, 0x1.6db6db7228fa6p-5,
    0x1.f1c71a8ca4b38p-6, 0x1.6e8bdfc98d4d7p-6, 0x1.1c49dfe17da3bp-6, 0x1.ca211d87002e3p-7, 0x1.75788e7ce54bp-7,
    0x1.618677cb26b28p-7, 0x1.e187478d7ea89p-9, 0x1.64fa6f58e4709p-6, -0x1.59f34dbe06159p-6,
    0x1.0be57bc240041p-5};  // 2^-59.8
inline constexpr polynomial asin_tail{asin_tail_f32, asin_tail_f64};

// erf_near: erf(x) / x - 1, z = x^2
inline constexpr double erf_near_f32[] = {0x1.06eba8p-3, -0x1.81274p-2, 0x1.ce2d5p-4, -0x1.b7fe9p-6, 0x1.542e08p-8,
    -0x1.a50a86p-11, 0x1.4c3212p-14};  // 2^-29.6
inline constexpr double erf_near_f64[] = {0x1.06eba8214db68p-3, -0x1.812746b0379a3p-2, 0x1.ce2f21a03fec9p-4,
    -0x1.b82ce311c6175p-6, 0x1.565bccf2c9fbp-8, -0x1.c02daf51d8265p-11, 0x1.f9a2a52934bc3p-14, -0x1.f4c90931eb153p-17,
    0x1.b97380dfa87a2p-20, -0x1.5bbc7c599097ap-23, 0x1.d51ae91447866p-27, -0x1.a5bfcb0550dacp-31};  // 2^-55.9
inline constexpr polynomial erf_near{erf_near_f32, erf_near_f64};

// erf_far: -log(erfc(x)), 0.95 <= x <= 4
inline constexpr double erf_far_f32[] = {-0x1.769226p-13, 0x1.2128ep+0, 0x1.44436cp-1, 0x1.bb8a48p-4, -0x1.9b5dfp-6,
    0x1.106b8ap-8, -0x1.c0308ep-12, 0x1.45d09p-16, 0x1.53cbb2p-23};  // 2^-35.3
inline constexpr polynomial erf_far{erf_far_f32, {}};

// erfcx_scaled: (1 + 2 x) exp(x^2) erfc(x), z = (x - 2) / (x + 2)
inline constexpr double erfcx_scaled_f32[] = {0x1.46e80ep+0, -0x1.7bf5ecp-4, -0x1.54078ap-3, 0x1.4ffa06p-3,
    -0x1.bc324p-5, -0x1.07261cp-7, 0x1.1e19cap-7, 0x1.4809c8p-10, -0x1.7fc6c8p-10, -0x1.a4a35p-12, 0x1.b41c4ep-13,
    0x1.5e025cp-14, -0x1.4f15a4p-17};  // 2^-27.3
inline constexpr double erfcx_scaled_f64[] = {0x1.46e80e2277953p+0, -0x1.7bf5ec170061ep-4, -0x1.5407bebf32028p-3,
    0x1.4ffa1e14e236ap-3, -0x1.bc2b9561d138ap-5, -0x1.07423404026a1p-7, 0x1.1dd2eca3eaa86p-7, 0x1.4d461cfc67e14p-10,
    -0x1.7de527cd39491p-10, -0x1.dc692eb529f93p-12, 0x1.b0c9f4d2be141p-13, 0x1.3cc0aa693da13p-13,
    -0x1.98398a4f446b3p-20, -0x1.318f8c25b0174p-15, -0x1.c3c17d07a7fbbp-17, 0x1.f35662f7fcebbp-19,
    0x1.5b175bb29741fp-18, 0x1.8dbedeed02012p-20, -0x1.56c35f7649e2ep-21, -0x1.b0450c96f4f39p-21,
    -0x1.40082f0c91ab8p-22, 0x1.f853402c25b98p-24, 0x1.6db78b4b24a81p-23, 0x1.08131e302e4f3p-25,
    -0x1.064acdd1fba42p-25, -0x1.94b0b3bd41b25p-27};  // 2^-53.7
inline constexpr polynomial erfcx_scaled{erfcx_scaled_f32, erfcx_scaled_f64};

// cube_root: cbrt(m), 1 <= m < 2
inline constexpr double cube_root_f32[] = {0x1.039eap-1, 0x1.6f915ap-1, -0x1.3391f8p-2, 0x1.602e66p-4,
    -0x1.5ae3dp-7};  // 2^-16.8
inline constexpr double cube_root_f64[] = {0x1.e4c3f449294b7p-2, 0x1.ad0206b1a711fp-1, -0x1.e0226e75b0a22p-2,
    0x1.9ecf0020ed042p-3, -0x1.9c2157fd7dfa8p-5, 0x1.5ddb036c231cfp-8};  // 2^-19.7
inline constexpr polynomial cube_root{cube_root_f32, cube_root_f64};

// stirling: Stirling's remainder times x, z = x^-2, x >= 8
inline constexpr double stirling_f64[] = {0x1.5555555555555p-4, -0x1.6c16c16c0a575p-9, 0x1.a01a0106c9e64p-11,
    -0x1.3812ce7ff5cf4p-11, 0x1.b8ef01778b57p-11, -0x1.e8be6233bb66fp-10, 0x1.27a4726bb1c2p-8};  // 2^-57.7
inline constexpr polynomial stirling{{}, stirling_f64};

inline constexpr expansion ln_2{{0x1.62e42ep-1, 0x1.efa39ep-25, 0x1.e6af26p-50}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1933p-111}};
inline constexpr expansion log2_e{{0x1.715476p+0, 0x1.4ae0bep-26, 0x1.85ddf4p-50}, {0x1.71547652b82fep+0, 0x1.777d0ffda0d23p-56, 0x1.4fa23ad5deaa3p-109}};
inline constexpr expansion log10_e{{0x1.bcb7bp-2, 0x1.526e5p-26, 0x1.c654d4p-51}, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.ee191f71a3012p-112}};
inline constexpr expansion log10_2{{0x1.344134p-2, 0x1.09f79ep-26, 0x1.ef311ep-50}, {0x1.34413509f79fep-2, 0x1.e623e2566b02dp-55, 0x1.e48bc13569862p-108}};
inline constexpr expansion half_pi{{0x1.921fb4p+0, 0x1.4442dp-24, 0x1.846988p-48}, {0x1.921fb54442d18p+0, 0x1.1a62633145c06p-54, 0x1.c1cd129024e08p-107}};
inline constexpr expansion inverse_half_pi{{0x1.45f306p-1, 0x1.b9391p-26, 0x1.529fc2p-52}, {0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-54, 0x1.a6ee06db14accp-107}};
inline constexpr expansion quarter_pi{{0x1.921fb4p-1, 0x1.4442dp-25, 0x1.846988p-49}, {0x1.921fb54442d18p-1, 0x1.1a62633145c06p-55, 0x1.c1cd129024e08p-108}};
inline constexpr expansion whole_pi{{0x1.921fb4p+1, 0x1.4442dp-23, 0x1.846988p-47}, {0x1.921fb54442d18p+1, 0x1.1a62633145c06p-53, 0x1.c1cd129024e08p-106}};
inline constexpr expansion half_log_two_pi{{0x1.d67f1cp-1, 0x1.0c97d6p-26, 0x1.29a4a4p-51}, {0x1.d67f1c864beb4p-1, 0x1.4d252f240051p-54, 0x1.92023cfb08f8dp-108}};

// The first digits of 2/pi after the binary point, last byte first; then what a load of 8 bytes may touch.
inline constexpr std::uint8_t two_over_pi[] = {
    0xcf, 0xf0, 0xab, 0x6b, 0x7b, 0xfc, 0x46, 0x30, 0x03, 0x56, 0x08, 0x5d, 0x8d, 0x1f, 0xb1, 0x5f, 0xfb, 0x6b, 0xea, 0x92, 0x52, 0x8a,
    0xf7, 0x39, 0x07, 0x3d, 0x7b, 0xf1, 0xe5, 0xeb, 0xc7, 0xba, 0x27, 0x75, 0x2d, 0xea, 0x5f, 0x9e, 0x66, 0x3f, 0x46, 0x4f, 0xb7, 0x09,
    0xcb, 0x27, 0xcf, 0x7e, 0x36, 0x6d, 0x1f, 0x6d, 0x0a, 0x5a, 0x8b, 0x11, 0x2f, 0xef, 0x0f, 0x98, 0x05, 0xde, 0xff, 0x97, 0xf8, 0x1f,
    0x3b, 0x28, 0xf9, 0xbd, 0x8b, 0x5f, 0x84, 0x9c, 0xf4, 0x39, 0x53, 0x83, 0x39, 0xd6, 0x91, 0x39, 0x41, 0x7e, 0x5f, 0xb4, 0x26, 0x70,
    0x9c, 0xe9, 0x84, 0x44, 0xbb, 0x2e, 0xf5, 0x35, 0x82, 0xe8, 0x3e, 0xa7, 0x29, 0xb1, 0x1c, 0xeb, 0x1d, 0xfe, 0x1c, 0x92, 0xd1, 0x09,
    0xea, 0x2e, 0x49, 0x06, 0xe0, 0xd2, 0x4d, 0x42, 0x3a, 0x6e, 0x24, 0xb7, 0x61, 0xc5, 0xbb, 0xde, 0xab, 0x63, 0x51, 0xfe, 0x41, 0x90,
    0x43, 0x3c, 0x99, 0x95, 0x62, 0xdb, 0xc0, 0xdd, 0x34, 0xf5, 0xd1, 0x57, 0x27, 0xfc, 0x29, 0x15, 0x44, 0x4e, 0x6e, 0x83, 0xf9, 0xa2,
    0, 0};

}  // namespace quern::cpu::codegen::maths
