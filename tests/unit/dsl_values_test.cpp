// Values, variables, places, vectors and conversions as the kernel's author writes them, run by the reference.
#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

/// What one invocation leaves in `results` elements of T.
template <class T, class F>
std::vector<T> results_of(std::size_t results, const F& f) {
    std::vector<T> y(results);
    run_over(1, f, y);
    return y;
}

}  // namespace

TEST_CASE("saxpy over ten invocations gives a * x + y") {
    const ir::module m = module_of([](inout<float> y, in<float> x, val<float> a) {
        val i = global_id();
        y[i] = a * x[i] + y[i];
    });
    std::vector<float> y(10, 1.f), x(10, 0.f);
    for (std::size_t i = 0; i < 10; ++i) x[i] = static_cast<float>(i);
    const float a = 3.f;
    run(m, {10, 1, 1}, std::as_bytes(std::span(&a, 1)), y, x);
    CHECK(y == std::vector<float>{1, 4, 7, 10, 13, 16, 19, 22, 25, 28});
}

TEST_CASE("an expression keeps its operands' old values") {
    CHECK(results_of<float>(2, [](inout<float> y) {
              var v = 3.f;
              auto e = v * v;
              v = 7;
              y[0] = e;
              y[1] = v * v;
          }) == std::vector<float>{9, 49});
}

TEST_CASE("a val keeps its value, a place follows the memory") {
    CHECK(results_of<int>(4, [](inout<int> y) {
              y[0] = 5;
              val v = y[0];
              place p = y[0];
              y[0] = 6;
              y[1] = v;
              y[2] = p;
              p += 1;
              y[3] = y[0];
          }) == std::vector<int>{7, 5, 6, 7});
}

TEST_CASE("copies of a var are variables of their own") {
    CHECK(results_of<int>(3, [](inout<int> y) {
              var a = 1;
              var b = a;
              b += 10;
              var c = b;
              c = a;
              a = 2;
              y[0] = a;
              y[1] = b;
              y[2] = c;
          }) == std::vector<int>{2, 11, 1});
}

TEST_CASE("increments and compound assignments work on var, place and vector component") {
    CHECK(results_of<int>(8, [](inout<int> y) {
              var a = 5;
              y[0] = a++;
              ++a;
              y[1] = a--;
              --a;
              y[2] = a;
              y[3] = 12;
              y[3] %= 5;
              y[3] <<= 4;
              y[3] |= 3;
              y[3] ^= 1;
              y[4] = 7;
              y[4] &= 5;
              y[4] *= 3;
              y[4] -= 1;
              y[4] /= 4;
              y[4] >>= 1;
              var v = int3{1, 2, 3};
              v.y() += 10;
              v[2] *= a;
              y[5] = v.x();
              y[6] = v.y();
              y[7] = v.z();
          }) == std::vector<int>{5, 7, 5, 34, 1, 1, 12, 15});
}

TEST_CASE("moving values through temporaries keeps them apart") {
    CHECK(results_of<int>(2, [](inout<int> y) {
              var a = 1;
              var b = 2;
              val old = a;
              a = b;
              b = old;
              y[0] = a;
              y[1] = b;
          }) == std::vector<int>{2, 1});
}

TEST_CASE("one element is assigned from another") {
    std::vector<float> y{1, 2, 3};
    run_over(1, [](inout<float> p) {
        p[0] = p[1];
        p[1] = p[2];
        p[2] = p[0];
    }, y);
    CHECK(y == std::vector<float>{2, 3, 2});
}

TEST_CASE("components of a vector are assigned in variables and in memory") {
    std::vector<float3> y{{1, 2, 3}, {4, 5, 6}};
    run_over(1, [](inout<float3> p) {
        p[0].x() = 9;
        p[0][1] = p[1].z();
        var v = p[1];
        v.x() = v.y();
        v.z() = 0;
        p[1] = v;
    }, y);
    CHECK(y == std::vector<float3>{{9, 6, 3}, {5, 5, 0}});
}

TEST_CASE("swizzles pick components of values, variables and places") {
    std::vector<int4> y(7);
    y[0] = {1, 2, 3, 4};
    run_over(1, [](inout<int4> p) {
        val v = p[0];
        p[1] = v.wzyx();
        p[2] = p[0].xxyy();
        var w = v;
        p[3] = make_vec(w.zw().y(), w.yzw().x(), w.xy().x(), v.wwww().z());
        p[4] = (v + 10).ywxz();
        val pair = v.yx();
        p[5] = pair.xyxy();
        p[6] = v.zyx().zzyx();
    }, y);
    CHECK(y == std::vector<int4>{{1, 2, 3, 4}, {4, 3, 2, 1}, {1, 1, 2, 2}, {4, 2, 1, 4}, {12, 14, 11, 13}, {2, 1, 2, 1},
                                 {1, 1, 2, 3}});
}

TEST_CASE("vectors are indexed by traced values") {
    std::vector<float> y(3);
    run_over(3, [](inout<float> p) {
        val i = global_id();
        val v = make_vec(10.f, 20.f, p[i] + 30.f);
        p[i] = v[2 - i];
    }, y);
    CHECK(y == std::vector<float>{30, 20, 10});
}

TEST_CASE("scalars meet vectors component by component") {
    std::vector<float2> y(6);
    y[0] = {3, 4};
    run_over(1, [](inout<float2> p) {
        val v = p[0];
        p[1] = v * 2;
        p[2] = 1 + v;
        p[3] = v * v.x();
        p[4] = v.y() - v;
        p[5] = v / float2{2, 8};
    }, y);
    CHECK(y == std::vector<float2>{{3, 4}, {6, 8}, {4, 5}, {9, 12}, {1, 0}, {1.5f, 0.5f}});
}

TEST_CASE("comparisons of vectors give vectors of bools") {
    std::vector<int3> y(3);
    y[0] = {1, 5, 9};
    run_over(1, [](inout<int3> p) {
        val v = p[0];
        p[1] = select(v > 4, v, 0);
        p[2] = select(v == int3{1, 2, 9}, 1, -1);
    }, y);
    CHECK(y == std::vector<int3>{{1, 5, 9}, {0, 5, 9}, {1, -1, 1}});
}

TEST_CASE("integers of every width wrap") {
    std::vector<std::uint8_t> bytes{250};
    run_over(1, [](inout<std::uint8_t> p) { p[0] = p[0] + 10; }, bytes);
    CHECK(bytes[0] == 4);
    std::vector<std::int16_t> shorts{32767};
    run_over(1, [](inout<std::int16_t> p) { p[0] += 1; }, shorts);
    CHECK(shorts[0] == -32768);
    std::vector<std::int64_t> longs{0x7fff'ffff'ffff'ffff};
    run_over(1, [](inout<std::int64_t> p) { ++p[0]; }, longs);
    CHECK(longs[0] == std::numeric_limits<std::int64_t>::min());
    std::vector<std::uint64_t> wide{1};
    run_over(1, [](inout<std::uint64_t> p) { p[0] = (p[0] << 40) - 1; }, wide);
    CHECK(wide[0] == 0xff'ffff'ffffu);
}

TEST_CASE("a divisor of zero counts as one") {
    CHECK(results_of<int>(3, [](inout<int> y) {
              val zero = y[0];
              y[0] = 7 / zero;
              y[1] = 7 % zero;
              y[2] = std::numeric_limits<int>::min() / (zero - 1);
          }) == std::vector<int>{7, 0, std::numeric_limits<int>::min()});
}

TEST_CASE("shift counts are masked to the width") {
    CHECK(results_of<int>(2, [](inout<int> y) {
              val zero = y[0];
              y[0] = 1 << (zero + 33);
              y[1] = -8 >> (zero + 1);
          }) == std::vector<int>{2, -4});
}

TEST_CASE("casts wrap, saturate and round") {
    std::vector<float> x{-1.5f, 3e9f, std::nanf(""), 1e30f};
    std::vector<int> i(4);
    std::vector<uint> u(4);
    std::vector<std::uint8_t> b(4);
    run_over(4, [](in<float> from, out<int> as_int, out<uint> as_uint, out<std::uint8_t> as_byte) {
        val k = global_id();
        as_int[k] = cast<int>(from[k]);
        as_uint[k] = cast<uint>(from[k]);
        as_byte[k] = cast<std::uint8_t>(cast<int>(from[k]));
    }, x, i, u, b);
    CHECK(i == std::vector<int>{-1, 2147483647, 0, 2147483647});
    CHECK(u == std::vector<uint>{0, 3000000000u, 0, 4294967295u});
    CHECK(b == std::vector<std::uint8_t>{255, 255, 0, 255});
}

TEST_CASE("bit_cast keeps the bits, of vectors too") {
    std::vector<uint2> y{{0x3f800000u, 0xc0000000u}};
    run_over(1, [](inout<uint2> p) { p[0] = bit_cast<uint2>(bit_cast<float2>(p[0]) * 2.f); }, y);
    CHECK(y[0] == uint2{0x40000000u, 0xc0800000u});
}

TEST_CASE("doubles keep their precision, float literals take the operand's type once rounded") {
    std::vector<double> d{1.0};
    run_over(1, [](inout<double> p) { p[0] = p[0] * 0.1; }, d);
    CHECK(d[0] == 0.1);
    std::vector<float> f{1.f};
    run_over(1, [](inout<float> p) { p[0] = p[0] * 0.1; }, f);
    CHECK(f[0] == 0.1f);
}

TEST_CASE("bools are stored as bytes and combined with & | ^ and !") {
    std::vector<unsigned char> y(5);
    const ir::module m = module_of([](inout<bool> p) {
        val t = p[0] == p[0];
        val f = !t;
        p[0] = t & f;
        p[1] = t | f;
        p[2] = t ^ t;
        p[3] = !f;
        p[4] = true;
    });
    run(m, {1, 1, 1}, {}, y);
    CHECK(y == std::vector<unsigned char>{0, 1, 0, 1, 1});
}

TEST_CASE("size is the element count, and value parameters arrive in order") {
    std::vector<uint> y(5);
    const ir::module m = module_of([](inout<uint> p, val<std::uint8_t> a, val<std::uint64_t> b, val<float2> c) {
        p[0] = p.size();
        p[1] = cast<uint>(a);
        p[2] = cast<uint>(b >> 32);
        p[3] = cast<uint>(c.y());
        p[4] = cast<uint>(p.size64());
    });
    std::array<std::byte, 24> values{};
    const std::uint64_t b = 5ull << 32;
    const float2 c{1.f, 9.f};
    values[0] = std::byte{200};
    std::memcpy(&values[8], &b, sizeof b);
    std::memcpy(&values[16], &c, sizeof c);
    run(m, {1, 1, 1}, values, y);
    CHECK(y == std::vector<uint>{5, 200, 5, 9, 5});
}

TEST_CASE("enums travel as their integers") {
    enum class mode : std::int16_t { off = -3, on = 4 };
    std::vector<std::int16_t> y{4};
    const ir::module m = module_of([](inout<mode> p) {
        val is_on = p[0] == mode::on;
        p[0] = select(is_on, mode::off, mode::on);
    });
    run(m, {1, 1, 1}, {}, y);
    CHECK(y[0] == -3);
}

TEST_CASE("local arrays have one, two or three extents") {
    CHECK(results_of<int>(4, [](inout<int> y) {
              local_array<int> a(3);
              local_array<int> b(2, 3);
              local_array<int> c(2, 2, 2);
              for_(range(0, 3), [&](val<int> i) { a[i] = i * i; });
              b[0][2] = 5;
              b[1][0] = 6;
              c[1][0][1] = a[2] + b[0][2];
              y[0] = a[0] + a[1] + a[2];
              y[1] = b[0][2] * 10 + b[1][0];
              y[2] = c[1][0][1];
              y[3] = static_cast<int>(c.size());
          }) == std::vector<int>{5, 56, 9, 8});
}

TEST_CASE("elements of std::array are places in a buffer") {
    std::vector<std::array<int, 3>> y{{1, 2, 3}, {4, 5, 6}};
    run_over(1, [](inout<std::array<int, 3>> p) {
        p[0][2] = p[1][0] + 10;
        p[1] = p[0];
    }, y);
    CHECK(y == std::vector<std::array<int, 3>>{{1, 2, 14}, {1, 2, 14}});
}

TEST_CASE("generic functions and plain functions are inlined") {
    const auto square = [](const traced auto& x) {
        val v = x;
        return v * v;
    };
    std::vector<float> y{3, 4};
    run_over(2, [&](inout<float> p) {
        val i = global_id();
        p[i] = square(p[i]) + square(p[i] + 1);
    }, y);
    CHECK(y == std::vector<float>{25, 41});
}

TEST_CASE("and_then and or_else evaluate their second operand only where it decides") {
    std::vector<uint> counts(2), y(4);
    run_over(4, [](inout<uint> c, inout<uint> p) {
        val i = global_id();
        val both = and_then(i > 1, [&] {
            atomic_add(c[0], 1);
            return i > 2;
        });
        val either = or_else(i > 1, [&] {
            atomic_add(c[1], 1);
            return i == 0;
        });
        p[i] = select(both, 2u, 0u) + select(either, 1u, 0u);
    }, counts, y);
    CHECK(y == std::vector<uint>{1, 0, 1, 3});
    CHECK(counts == std::vector<uint>{2, 2});
}
