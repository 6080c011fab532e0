// Maths as the kernel's author writes it, run by the reference: every name of <quern/math.hpp> reaches its operation.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float not_a_number = std::nanf("");

/// f(a) and f(a, b) on the reference.
template <class F>
float of(float a, const F& f) {
    std::vector<float> y{a};
    run_over(1, [&](inout<float> p) { p[0] = f(p[0]); }, y);
    return y[0];
}
template <class F>
float of(float a, float b, const F& f) {
    std::vector<float> y{a, b};
    run_over(1, [&](inout<float> p) {
        val x = p[0];
        val z = p[1];
        p[0] = f(x, z);
    }, y);
    return y[0];
}
template <class T, class F>
T of_int(T a, const F& f) {
    std::vector<T> y{a};
    run_over(1, [&](inout<T> p) {
        val x = p[0];
        p[0] = f(x);
    }, y);
    return y[0];
}

#define UNARY(name) [](const auto& x) { val v = x; return name(v); }
#define BINARY(name) [](const auto& x, const auto& z) { return name(x, z); }

}  // namespace

TEST_CASE("rounding functions round as their names say") {
    CHECK(of(-1.5f, UNARY(floor)) == -2.f);
    CHECK(of(-1.5f, UNARY(ceil)) == -1.f);
    CHECK(of(-1.7f, UNARY(trunc)) == -1.f);
    CHECK(of(2.5f, UNARY(round)) == 3.f);
    CHECK(of(-2.5f, UNARY(round)) == -3.f);
    CHECK(of(2.5f, UNARY(rint)) == 2.f);
    CHECK(of(3.5f, UNARY(nearbyint)) == 4.f);
    CHECK(of(-1.25f, UNARY(fract)) == 0.75f);
}

TEST_CASE("functions of one argument give their well-known values") {
    CHECK(of(9.f, UNARY(sqrt)) == 3.f);
    CHECK(of(4.f, UNARY(rsqrt)) == 0.5f);
    CHECK(of(27.f, UNARY(cbrt)) == Approx(3));
    CHECK(of(1.f, UNARY(exp)) == Approx(2.718281828));
    CHECK(of(5.f, UNARY(exp2)) == 32.f);
    CHECK(of(1e-5f, UNARY(expm1)) == Approx(1.00000500e-5));
    CHECK(of(2.718281828f, UNARY(log)) == Approx(1));
    CHECK(of(8.f, UNARY(log2)) == 3.f);
    CHECK(of(1000.f, UNARY(log10)) == Approx(3));
    CHECK(of(1e-5f, UNARY(log1p)) == Approx(0.99999500e-5));
    CHECK(of(0.5235987756f, UNARY(sin)) == Approx(0.5));
    CHECK(of(1.047197551f, UNARY(cos)) == Approx(0.5));
    CHECK(of(0.7853981634f, UNARY(tan)) == Approx(1));
    CHECK(of(0.5f, UNARY(asin)) == Approx(0.5235987756));
    CHECK(of(0.5f, UNARY(acos)) == Approx(1.047197551));
    CHECK(of(1.f, UNARY(atan)) == Approx(0.7853981634));
    CHECK(of(1.f, UNARY(sinh)) == Approx(1.175201194));
    CHECK(of(1.f, UNARY(cosh)) == Approx(1.543080635));
    CHECK(of(1.f, UNARY(tanh)) == Approx(0.761594156));
    CHECK(of(1.f, UNARY(asinh)) == Approx(0.881373587));
    CHECK(of(2.f, UNARY(acosh)) == Approx(1.316957897));
    CHECK(of(0.5f, UNARY(atanh)) == Approx(0.549306144));
    CHECK(of(0.5f, UNARY(erf)) == Approx(0.520499878));
    CHECK(of(0.5f, UNARY(erfc)) == Approx(0.479500122));
    CHECK(of(5.f, UNARY(tgamma)) == Approx(24));
    CHECK(of(10.f, UNARY(lgamma)) == Approx(12.80182748));
    CHECK(of(-3.f, UNARY(abs)) == 3.f);
    CHECK(of(-3.f, UNARY(fabs)) == 3.f);
    CHECK(of(-3.f, UNARY(saturate)) == 0.f);
    CHECK(of(0.25f, UNARY(saturate)) == 0.25f);
    CHECK(of(7.f, UNARY(saturate)) == 1.f);
}

TEST_CASE("functions of two and three arguments give their well-known values") {
    CHECK(of(2.f, 10.f, BINARY(pow)) == Approx(1024));
    CHECK(of(1.f, -1.f, BINARY(atan2)) == Approx(2.35619449));
    CHECK(of(3.f, 4.f, BINARY(hypot)) == Approx(5));
    CHECK(of(-7.f, 3.f, BINARY(fmod)) == -1.f);
    CHECK(of(7.f, 4.f, BINARY(remainder)) == -1.f);
    CHECK(of(1.f, 2.f, BINARY(nextafter)) == 1.00000012f);
    CHECK(of(3.f, -0.f, BINARY(copysign)) == -3.f);
    CHECK(of(5.f, 3.f, BINARY(fdim)) == 2.f);
    CHECK(of(3.f, 5.f, BINARY(fdim)) == 0.f);
    CHECK(std::isnan(of(3.f, not_a_number, BINARY(fdim))));
    CHECK(of(3.f, 5.f, [](const auto& a, const auto& b) { return fma(a, b, 2.f); }) == 17.f);
    CHECK(of(3.f, 5.f, [](const auto& a, const auto& b) { return fma(2, a, b); }) == 11.f);
    CHECK(of(10.f, 20.f, [](const auto& a, const auto& b) { return mix(a, b, 0.25f); }) == 12.5f);
    CHECK(of(10.f, 0.25f, [](const auto& a, const auto& t) { return mix(a, 20, t); }) == 12.5f);
    CHECK(of(9.f, 4.f, [](const auto& a, const auto& b) { return clamp(a, 1, b); }) == 4.f);
}

TEST_CASE("min, max and clamp drop a NaN and order the zeros") {
    CHECK(of(not_a_number, 1.f, BINARY(min)) == 1.f);
    CHECK(of(1.f, not_a_number, BINARY(max)) == 1.f);
    CHECK(of(not_a_number, 1.f, BINARY(fmin)) == 1.f);
    CHECK(of(not_a_number, 1.f, BINARY(fmax)) == 1.f);
    CHECK(std::signbit(of(0.f, -0.f, BINARY(min))));
    CHECK_FALSE(std::signbit(of(-0.f, 0.f, BINARY(max))));
    CHECK(of(not_a_number, [](const auto& x) { return clamp(x, 2, 3); }) == 2.f);
}

TEST_CASE("classification knows NaN, infinities and signs") {
    const auto classes = [](float x) {
        std::vector<float> y{x};
        std::vector<uint> bits(1);
        run_over(1, [](in<float> p, out<uint> out_bits) {
            val v = p[0];
            out_bits[0] = select(isnan(v), 8u, 0u) + select(isinf(v), 4u, 0u) + select(isfinite(v), 2u, 0u) +
                          select(signbit(v), 1u, 0u);
        }, y, bits);
        return bits[0];
    };
    CHECK(classes(1.f) == 2);
    CHECK(classes(-0.f) == 3);
    CHECK(classes(inf) == 4);
    CHECK(classes(-inf) == 5);
    CHECK((classes(not_a_number) & 14) == 8);
}

TEST_CASE("integer functions work on every width") {
    CHECK(of_int<uint>(0xf0u, UNARY(popcount)) == 4);
    CHECK(of_int<uint>(1u, UNARY(clz)) == 31);
    CHECK(of_int<uint>(0u, UNARY(clz)) == 32);
    CHECK(of_int<uint>(8u, UNARY(ctz)) == 3);
    CHECK(of_int<uint>(0u, UNARY(ctz)) == 32);
    CHECK(of_int<uint>(1u, UNARY(reverse_bits)) == 0x8000'0000u);
    CHECK(of_int<std::uint64_t>(1u, UNARY(clz)) == 63);
    CHECK(of_int<std::uint8_t>(0u, UNARY(clz)) == 8);
    CHECK(of_int<std::int16_t>(2, UNARY(reverse_bits)) == 0x4000);
    CHECK(of_int<int>(-5, UNARY(abs)) == 5);
    CHECK(of_int<int>(std::numeric_limits<int>::min(), UNARY(abs)) == std::numeric_limits<int>::min());
    CHECK(of_int<int>(5, [](const auto& x) { return clamp(x, -1, 3); }) == 3);
    CHECK(of_int<int>(-5, [](const auto& x) { return min(x, 2) + max(x, 4); }) == -1);
}

TEST_CASE("vector functions give their well-known values") {
    std::vector<float3> y{{1, 2, 3}, {4, 5, 6}, {0, 3, 4}, {}, {}};
    std::vector<float> s(4);
    run_over(1, [](inout<float3> p, inout<float> q) {
        q[0] = dot(p[0], p[1]);
        q[1] = length(p[2]);
        q[2] = dot(p[0].xy(), p[1].xy());
        q[3] = dot(p[0].xyzx(), p[1].xyzx());
        p[3] = cross(p[0], p[1]);
        p[4] = normalize(p[2]);
    }, y, s);
    CHECK(s[0] == 32.f);
    CHECK(s[1] == 5.f);
    CHECK(s[2] == 14.f);
    CHECK(s[3] == 36.f);
    CHECK(y[3] == float3{-3, 6, -3});
    CHECK(y[4].x() == 0.f);
    CHECK(y[4].y() == Approx(0.6));
    CHECK(y[4].z() == Approx(0.8));
}

TEST_CASE("functions work component by component") {
    std::vector<float2> y{{4, 9}, {}, {}};
    run_over(1, [](inout<float2> p) {
        p[1] = sqrt(p[0]);
        p[2] = max(p[0], 5) + mix(p[0], 0, 0.5f);
    }, y);
    CHECK(y[1] == float2{2, 3});
    CHECK(y[2] == float2{7, 13.5f});
}
