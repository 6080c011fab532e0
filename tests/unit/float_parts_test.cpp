// ldexp, frexp and their kin on the reference, against the host's own library and literals.
#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr double infd = std::numeric_limits<double>::infinity();

/// Numbers at which the format changes its ways, of both signs.
template <class T>
std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> v;
    const double least = static_cast<double>(limits::denorm_min()), normal = static_cast<double>(limits::min());
    for (const double x : {0.0, least, 3 * least, 5 * least, normal - least, normal, normal + least, 0.75, 1.0, 1.5, 1.99, 3.0, 100.5,
                           static_cast<double>(limits::max()), static_cast<double>(limits::infinity()), std::nan("")})
        for (const double s : {1.0, -1.0}) v.push_back(T(s * x));
    return v;
}

template <class T>
bool same(T a, T b) {
    const auto d = static_cast<double>(a), e = static_cast<double>(b);
    return std::isnan(d) ? std::isnan(e) : d == e && std::signbit(d) == std::signbit(e);
}

/// Pairs (x, n) at which ldexp differs from the host's, whose result is rounded once to T.
template <class T>
int wrong_ldexp() {
    std::vector<T> x;
    std::vector<int> n;
    constexpr int reach = std::numeric_limits<T>::max_exponent + std::numeric_limits<T>::digits;
    for (const T e : edges<T>())
        for (int k = -2 * reach - 5; k <= 2 * reach + 5; k += reach > 500 ? 7 : 1) x.push_back(e), n.push_back(k);
    for (const int k : {std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) x.push_back(T(1.5f)), n.push_back(k);
    std::vector<T> got(x.size()), wide = got;
    std::vector<std::int64_t> n64(n.begin(), n.end());
    run_over(x.size(), [](out<T> y, out<T> z, in<T> a, in<int> b, in<std::int64_t> c) {
        val i = global_id();
        y[i] = ldexp(a[i], b[i]);
        z[i] = scalbln(a[i], c[i]);
    }, got, wide, x, n, n64);
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        T expected{};
        if constexpr (std::is_same_v<T, double>) expected = std::ldexp(x[i], n[i]);
        else if constexpr (std::is_same_v<T, float>) expected = std::ldexp(x[i], n[i]);
        else expected = T(std::ldexp(static_cast<double>(x[i]), n[i]));
        wrong += !same(got[i], expected) + !same(wide[i], expected);
    }
    return wrong;
}

template <class T>
int wrong_parts() {
    std::vector<T> x = edges<T>(), fraction(x.size()), whole(x.size()), rest(x.size()), exponent(x.size());
    std::vector<int> power(x.size()), integer(x.size());
    run_over(x.size(), [](in<T> p, out<T> f, out<int> e, out<T> r, out<T> w, out<T> l, out<int> il) {
        val i = global_id();
        val v = p[i];
        auto [m, n] = frexp(v);
        f[i] = m;
        e[i] = n;
        auto [part, all] = modf(v);
        r[i] = part;
        w[i] = all;
        l[i] = logb(v);
        il[i] = ilogb(v);
    }, x, fraction, power, rest, whole, exponent, integer);
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto v = static_cast<double>(x[i]);
        int n = 0;
        double all = 0;
        const double m = std::frexp(v, &n), part = std::modf(v, &all);
        wrong += !same(static_cast<double>(fraction[i]), m) + (std::isfinite(v) && power[i] != n);
        wrong += !same(static_cast<double>(rest[i]), part) + !same(static_cast<double>(whole[i]), all);
        wrong += !same(static_cast<double>(exponent[i]), std::logb(v));
        const int expected = v == 0 || std::isnan(v) ? std::numeric_limits<int>::min() : std::ilogb(v);
        wrong += integer[i] != (std::isinf(v) ? std::numeric_limits<int>::max() : expected);
    }
    return wrong;
}

/// f(a, b) of floats on the reference.
template <class T, class F>
T of(T a, T b, const F& f) {
    std::vector<T> y{a, b};
    run_over(1, [&](inout<T> p) {
        val x = p[0];
        val z = p[1];
        p[0] = f(x, z);
    }, y);
    return y[0];
}

}  // namespace

TEST_CASE("ldexp rounds x * 2^n once, for every exponent and at every edge") {
    CHECK(wrong_ldexp<float>() == 0);
    CHECK(wrong_ldexp<double>() == 0);
    CHECK(wrong_ldexp<half>() == 0);
    CHECK(wrong_ldexp<bfloat16>() == 0);
}

TEST_CASE("frexp, modf, logb and ilogb take every number apart as the host does") {
    CHECK(wrong_parts<float>() == 0);
    CHECK(wrong_parts<double>() == 0);
    CHECK(wrong_parts<half>() == 0);
    CHECK(wrong_parts<bfloat16>() == 0);
}

TEST_CASE("vectors are taken apart component by component") {
    std::vector<float2> x{{6, -0.125f}};
    std::vector<int2> e(1);
    run_over(1, [](inout<float2> p, out<int2> q) {
        auto [m, n] = frexp(p[0]);
        q[0] = n;
        p[0] = ldexp(m, make_vec(1, 2)) + scalbn(m, 0);
    }, x, e);
    CHECK(x[0] == float2{2.25f, -2.5f});
    CHECK(e[0] == int2{3, -2});
}

TEST_CASE("lround and lrint give integers, saturate, and give 0 for NaN") {
    std::vector<float> x{2.5f, -2.5f, 3.5f, 1e30f, -inf, NAN};
    std::vector<std::int64_t> a(6), b(6), c(6), d(6);
    run_over(6, [](in<float> p, out<std::int64_t> q, out<std::int64_t> r, out<std::int64_t> s, out<std::int64_t> t) {
        val i = global_id();
        q[i] = lround(p[i]);
        r[i] = lrint(p[i]);
        s[i] = llround(p[i]);
        t[i] = llrint(p[i]);
    }, x, a, b, c, d);
    constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
    CHECK(a == std::vector<std::int64_t>{3, -3, 4, most, least, 0});
    CHECK(b == std::vector<std::int64_t>{2, -2, 4, most, least, 0});
    CHECK(c == a);
    CHECK(d == b);
}

TEST_CASE("nexttoward sees a goal that the type cannot hold") {
    const auto towards = [](float x, double goal) {
        std::vector<float> y{x, x};
        std::vector<double> g{goal};
        run_over(1, [&](inout<float> p, in<double> q) {
            p[0] = nexttoward(p[0], q[0]);
            p[1] = nexttoward(p[1], goal);
        }, y, g);
        const float expected = std::nexttoward(x, static_cast<long double>(goal));
        return same(y[0], expected) && same(y[1], expected);
    };
    const float above = std::nextafter(1.f, 2.f);
    for (const double goal : {1.0, 1.00000001, 1.0000001, 2.0, 0.0, -infd, 1e300, 1e-300})
        for (const float x : {1.f, above, 0.f, -0.f, -1.f, inf}) CHECK(towards(x, goal));
    CHECK(of(1.f, 2.f, [](const auto& x, const auto& y) { return nexttoward(x, y); }) == above);
}

TEST_CASE("lerp is exact at its ends and stays between them") {
    const auto at = [](float t) {
        return [t](const auto& a, const auto& b) { return lerp(a, b, t); };
    };
    CHECK(of(0.1f, 0.3f, at(0.f)) == 0.1f);
    CHECK(of(0.1f, 0.3f, at(1.f)) == 0.3f);
    CHECK(of(-1.f, 3.f, at(0.25f)) == 0.f);
    CHECK(of(1e30f, 1e30f, at(0.3f)) == 1e30f);
    CHECK(of(2.f, 4.f, at(2.f)) == 6.f);
    CHECK(of(4.f, 2.f, at(2.f)) == 0.f);
    CHECK(of(-0x1.fffffep127f, 0x1.fffffep127f, at(0.5f)) == 0.f);
}

TEST_CASE("hypot of three does not overflow, and infinity wins over NaN") {
    const auto with = [](float z) {
        return [z](const auto& x, const auto& y) { return hypot(x, y, z); };
    };
    CHECK(of(2.f, 3.f, with(6.f)) == 7.f);
    CHECK(of(0x1p100f, 0x1p101f, with(0x1p101f)) == 3 * 0x1p100f);
    CHECK(of(NAN, 1.f, with(inf)) == inf);
    CHECK(std::isnan(of(NAN, 1.f, with(2.f))));
}

TEST_CASE("classes and comparisons under C's names") {
    const auto classes = [](float x, float y) {
        std::vector<float> in_x{x, y};
        std::vector<uint> bits(1);
        run_over(1, [](in<float> p, out<uint> q) {
            val a = p[0];
            val b = p[1];
            q[0] = select(isnormal(a), 64u, 0u) + select(isunordered(a, b), 32u, 0u) + select(isgreater(a, b), 16u, 0u) +
                   select(isgreaterequal(a, b), 8u, 0u) + select(isless(a, b), 4u, 0u) + select(islessequal(a, b), 2u, 0u) +
                   select(islessgreater(a, b), 1u, 0u);
        }, in_x, bits);
        return bits[0];
    };
    CHECK(classes(1, 2) == 64 + 4 + 2 + 1);
    CHECK(classes(0x1p-126f, 0x1p-127f) == 64 + 16 + 8 + 1);
    CHECK(classes(0x1p-127f, 0x1p-127f) == 8 + 2);
    CHECK(classes(0.f, -0.f) == 8 + 2);
    CHECK(classes(inf, 1) == 16 + 8 + 1);
    CHECK(classes(NAN, 1) == 32);
    CHECK(classes(1, NAN) == 64 + 32);
}
