// Control flow as the kernel's author writes it, run by the reference.
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

enum class order : unsigned { up = 3, down = 7 };
QUERN_ENUM(order, up, down);

/// The rounds that for_(range(first, last, step)) makes, at most 15; element 0 of the answer is their number.
template <class T, class First, class Last, class Step>
std::vector<T> rounds(First first, Last last, Step step) {
    std::vector<T> y(16);
    run_over(1, [&](inout<T> p) {
        var n = T{0};
        for_(range(first, last, step), [&](val<T> i) {
            n += 1;
            p[n] = i;
            if_(n == T{15}, [] { break_(); });
        });
        p[0] = n;
    }, y);
    y.resize(static_cast<std::size_t>(y[0]) + 1);
    return y;
}

}  // namespace

TEST_CASE("exactly one branch of a chain runs") {
    std::vector<int> y(5);
    run_over(5, [](inout<int> p) {
        val i = cast<int>(global_id());
        if_(i == 1, [&] { p[i] = 10; })
            .elif_(i == 2, [&] { p[i] = 20; })
            .elif_(i > 2, [&] { p[i] = 30; })
            .else_([&] { p[i] = 40; });
    }, y);
    CHECK(y == std::vector<int>{40, 10, 20, 30, 30});
}

TEST_CASE("an elif_ condition runs only when the earlier ones failed") {
    std::vector<uint> counts(1), y(4);
    run_over(4, [](inout<uint> c, inout<uint> p) {
        val i = global_id();
        if_(i < 3, [&] { p[i] = 1; }).elif_(atomic_add(c[0], 1) == 0, [&] { p[i] = 2; });
    }, counts, y);
    CHECK(counts[0] == 1);
    CHECK(y == std::vector<uint>{1, 1, 1, 2});
}

TEST_CASE("for_ counts first, first + step, … below last") {
    CHECK(rounds<int>(0, 4, 1) == std::vector<int>{4, 0, 1, 2, 3});
    CHECK(rounds<int>(-3, 6, 4) == std::vector<int>{3, -3, 1, 5});
    CHECK(rounds<int>(4, 4, 1) == std::vector<int>{0});
    CHECK(rounds<int>(5, 4, 1) == std::vector<int>{0});
    CHECK(rounds<uint>(5u, 0u, 1u) == std::vector<uint>{0});
}

TEST_CASE("for_ never wraps at its end") {
    constexpr int last = std::numeric_limits<int>::max();
    CHECK(rounds<int>(last - 2, last, 2) == std::vector<int>{1, last - 2});
    CHECK(rounds<int>(last - 3, last, 2) == std::vector<int>{2, last - 3, last - 1});
    CHECK(rounds<uint>(0xffff'fff0u, 0xffff'ffffu, 8u) == std::vector<uint>{2, 0xffff'fff0u, 0xffff'fff8u});
    constexpr std::int64_t last_long = std::numeric_limits<std::int64_t>::max();
    CHECK(rounds<std::int64_t>(last_long - 1, last_long, 5) == std::vector<std::int64_t>{1, last_long - 1});
}

TEST_CASE("the bounds of a range are computed once") {
    std::vector<int> y(2);
    run_over(1, [](inout<int> p) {
        var n = 3;
        var rounds = 0;
        for_(range(0, n), [&](val<int>) {
            n += 10;
            rounds += 1;
        });
        p[0] = rounds;
        p[1] = n;
    }, y);
    CHECK(y == std::vector<int>{3, 33});
}

TEST_CASE("host bounds of two types count in the type that they have in common") {
    std::vector<uint> y(3);
    run_over(1, [](inout<uint> p) { for_(range(0u, 3), [&](val<uint> i) { p[i] = i + 1; }); }, y);
    CHECK(y == std::vector<uint>{1, 2, 3});
}

TEST_CASE("host bounds count in the type that the body's parameter asks for") {
    const std::size_t n = 3;
    const std::vector<float> weights(2);
    std::vector<int> y(4);
    run_over(1, [&](inout<int> p) {
        for_(range(0u, n), [&](val<uint> i) { p[i] = 10; });
        for_(range(1, weights.size()), [&](val<int> i) { p[i] += i; });
        for_(range(0, n, 2), [&](const val<uint>& i) { p[i] += 100; });
        for_(range(3, n + 1), [&](auto i) {
            static_assert(std::is_same_v<decltype(i), val<std::size_t>>);
            p[i] = 7;
        });
    }, y);
    CHECK(y == std::vector<int>{110, 11, 110, 7});
}

TEST_CASE("break_ and continue_ belong to the innermost loop") {
    std::vector<int> y(3);
    run_over(1, [](inout<int> p) {
        for_(range(0, 4), [&](val<int> i) {
            for_(range(0, 10), [&](val<int> j) {
                if_(j == 2, [] { continue_(); });
                if_(j == 5, [] { break_(); });
                p[0] += 1;
            });
            if_(i == 2, [] { break_(); });
            p[1] += 1;
        });
        p[2] = 7;
    }, y);
    CHECK(y == std::vector<int>{12, 2, 7});
}

TEST_CASE("while_ evaluates its condition before every round, after continue_ too") {
    std::vector<int> y(2);
    run_over(1, [](inout<int> p) {
        var n = 10;
        while_([&] { p[1] += 1; return n > 0; }, [&] {
            n -= 3;
            if_(n < 5, [] { continue_(); });
            p[0] += 1;
        });
    }, y);
    CHECK(y == std::vector<int>{1, 5});
}

TEST_CASE("return_ ends one invocation, from inside loops and branches") {
    std::vector<int> y(4);
    run_over(4, [](inout<int> p) {
        val i = cast<int>(global_id());
        for_(range(0, 10), [&](val<int> j) {
            if_(j == i, [] { return_(); });
            p[i] = j + 1;
        });
        p[i] = -1;
    }, y);
    CHECK(y == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("match runs the arm of its enumerator, and none for an invalid value") {
    std::vector<uint> e{3, 7, 9}, y(3, 100);
    const ir::module m = module_of([](in<order> x, inout<uint> p) {
        val i = global_id();
        match(x[i], when<order::up>([&] { p[i] = 1; }), when<order::down>([&] { p[i] = 2; }));
    });
    run(m, {3, 1, 1}, {}, e, y);
    CHECK(y == std::vector<uint>{1, 2, 100});
}

TEST_CASE("otherwise runs for the enumerators without an arm and for invalid values") {
    std::vector<uint> e{3, 7, 9}, y(3);
    const ir::module m = module_of([](in<order> x, inout<uint> p) {
        val i = global_id();
        match(x[i], when<order::up>([&] { p[i] = 1; }), otherwise([&] { p[i] = 5; }));
    });
    run(m, {3, 1, 1}, {}, e, y);
    CHECK(y == std::vector<uint>{1, 5, 5});
}

TEST_CASE("break_ inside match leaves the loop around it") {
    std::vector<uint> e{3, 3, 7, 3}, y(1);
    const ir::module m = module_of([](in<order> x, inout<uint> p) {
        for_(range(0u, x.size()), [&](val<uint> i) {
            match(x[i], when<order::up>([&] { p[0] += 1; }), when<order::down>([] { break_(); }));
        });
    });
    run(m, {1, 1, 1}, {}, e, y);
    CHECK(y[0] == 2);
}

TEST_CASE("a plain C++ loop unrolls, a plain C++ if specialises") {
    std::vector<int> y(4);
    const bool doubled = true;
    run_over(1, [&](inout<int> p) {
        for (int i = 0; i < 4; ++i) {
            if (doubled) p[i] = 2 * i;
            else p[i] = i;
        }
    }, y);
    CHECK(y == std::vector<int>{0, 2, 4, 6});
}

TEST_CASE("a var that is declared in a loop begins anew in each round") {
    std::vector<int> y(3);
    run_over(1, [](inout<int> p) {
        for_(range(0, 3), [&](val<int> i) {
            var v = 10;
            v += i;
            p[i] = v;
        });
    }, y);
    CHECK(y == std::vector<int>{10, 11, 12});
}

TEST_CASE("positions count over two dimensions") {
    std::vector<uint> y(12);
    const ir::module m = module_of([](inout<uint> p) {
        val id = global_id<2>();
        val size = extent<2>();
        p[id.y() * size.x() + id.x()] = id.y() * 100 + id.x();
    });
    run(m, {4, 3, 1}, {}, y);
    CHECK(y == std::vector<uint>{0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202, 203});
}

TEST_CASE("shared memory and barriers reverse a workgroup") {
    std::vector<uint> y{1, 2, 3, 4, 5, 6, 7, 8};
    run_over(8, [](inout<uint> p) {
        workgroup_size(4);
        shared<uint> t(4);
        val l = local_id();
        val i = global_id();
        t[l] = p[i];
        barrier();
        p[i] = t[3 - l] + 10 * workgroup_id();
    }, y);
    CHECK(y == std::vector<uint>{4, 3, 2, 1, 18, 17, 16, 15});
}

TEST_CASE("atomics return the old value") {
    std::vector<int> y{10, 0, 0, 0, 0, 0, 0, 0, 0};
    run_over(1, [](inout<int> p) {
        p[1] = atomic_add(p[0], 5);
        p[2] = atomic_sub(p[0], 1);
        p[3] = atomic_min(p[0], 3);
        p[4] = atomic_max(p[0], 20);
        p[5] = atomic_exchange(p[0], 6);
        p[6] = atomic_compare_exchange(p[0], 6, 12);
        p[6] += atomic_compare_exchange(p[0], 6, 99);
        p[7] = atomic_and_(p[0], 4);
        p[7] += atomic_or_(p[0], 3);
        p[7] += atomic_xor_(p[0], 1);
        atomic_store(p[8], atomic_load(p[0]));
    }, y);
    CHECK(y == std::vector<int>{6, 10, 15, 14, 3, 20, 18, 23, 6});
}

TEST_CASE("atomics on floats add, compare, exchange, load and store") {
    std::vector<float> y{1.5f, 0, 0, 0, 0, 0};
    run_over(1, [](inout<float> p) {
        p[1] = atomic_add(p[0], 1);
        p[2] = atomic_min(p[0], 2.f);
        p[3] = atomic_max(p[0], 8.f);
        p[4] = atomic_exchange(p[0], 0.25f);
        atomic_store(p[5], atomic_load(p[0]));
    }, y);
    CHECK(y == std::vector<float>{0.25f, 1.5f, 2.5f, 2, 8, 0.25f});
}

TEST_CASE("subgroup operations work over the lanes") {
    std::vector<uint> sum(8), scan(8), first(8), odd(8);
    run_over(8, [](inout<uint> a, inout<uint> b, inout<uint> c, inout<uint> d) {
        workgroup_size(8);
        val l = local_id();
        a[l] = subgroup_add(l);
        b[l] = subgroup_exclusive_add(l + 1);
        c[l] = subgroup_broadcast(l + 5, 2u);
        d[l] = subgroup_ballot((l & 1) == 1).x();
    }, sum, scan, first, odd);
    CHECK(sum == std::vector<uint>(8, 28));
    CHECK(scan == std::vector<uint>{0, 1, 3, 6, 10, 15, 21, 28});
    CHECK(first == std::vector<uint>(8, 7));
    CHECK(odd == std::vector<uint>(8, 0xaa));
}
