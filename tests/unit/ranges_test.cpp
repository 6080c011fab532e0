// Ranges of integers: facts written by hand, and every 8-bit operation against all its operands.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "dsl/ir/evaluate.hpp"
#include "dsl/ir/ranges.hpp"
#include "tests/unit/ir_kernels.hpp"
#include "tests/unit/random_kernel.hpp"

using namespace quern;
using ir::holds_for;
using ir::op;
using ir::scalar_kind;
using tests::maker;

namespace {

using bounds = std::array<std::int64_t, 2>;

/// A kernel with the buffers y and x of u32, and what is known of it.
struct sketch : maker {
    sketch() : maker("sketch") {
        y = buffer("y", ir::access::read_write, scalar(scalar_kind::u32));
        x = buffer("x", ir::access::read, scalar(scalar_kind::u32));
        i = op(ir::op::global_id, {}, 0);
        any = load(x, i);
    }
    ir::value_id any_of(scalar_kind k) { return op(ir::op::cast, {any}, 0, scalar(k)); }
    ir::value_id between(ir::value_id v, std::int64_t first, std::int64_t last) {
        const scalar_kind k = m.type_of(v).scalar;
        return op(ir::op::min, {op(ir::op::max, {v, number(k, first)}), number(k, last)});
    }
    ir::value_id number(scalar_kind k, std::int64_t n) {
        return b.constant(k, static_cast<std::uint64_t>(n) & (~std::uint64_t{0} >> (64 - ir::bit_width(k))));
    }
    ir::range_table facts(holds_for who = holds_for::running) const {
        ir::module so_far = m;
        so_far.body = b.current();
        return ir::analyse_ranges(so_far, who);
    }

    std::uint32_t y = 0, x = 0;
    ir::value_id i, any;
};

bounds of(const ir::range_table& t, ir::value_id v) {
    return {static_cast<std::int64_t>(t.range_of(v).first), static_cast<std::int64_t>(t.range_of(v).last)};
}

std::int64_t extend(scalar_kind k, std::uint64_t bits) {
    return ir::is_signed_integer(k) ? static_cast<std::int8_t>(bits) : static_cast<std::int64_t>(bits);
}

}  // namespace

TEST_CASE("Positions, sizes and loop counters have the range that launches leave them") {
    sketch s;
    const auto size = s.op(op::buffer_size, {}, s.x);
    const auto extent = s.op(op::extent, {}, 0);
    ir::value_id counter, next;
    s.for_(s.u32(3), s.u32(10), s.u32(2), [&](ir::value_id k) {
        counter = k;
        next = s.op(op::add, {k, s.u32(1)});
    });
    const ir::range_table t = s.facts();
    CHECK(of(t, s.i) == bounds{0, 0xffff'fffe});
    CHECK(of(t, size) == bounds{0, 0xffff'ffff});
    CHECK(of(t, extent) == bounds{1, 0xffff'ffff});
    CHECK(of(t, counter) == bounds{3, 9});
    CHECK(of(t, next) == bounds{4, 10});
    CHECK(t.never_wraps(next));

    s.m.launch = ir::launch_kind::groups;
    CHECK(of(s.facts(), s.i) == bounds{0, 0xffff'ffff});
    s.m.workgroup_size = {16, 4, 1};
    const auto row = s.op(op::local_id, {}, 1);
    CHECK(of(s.facts(), row) == bounds{0, 3});

    sketch wide;
    const auto cut = wide.op(op::extent, {}, 0), id = wide.op(op::global_id, {}, 0, wide.scalar(scalar_kind::u64));
    CHECK(of(wide.facts(), id) == bounds{0, INT64_MAX});
    CHECK(of(wide.facts(), wide.i) == bounds{0, 0xffff'ffff});
    CHECK(of(wide.facts(), cut) == bounds{0, 0xffff'ffff});
}

TEST_CASE("What holds for every lane does not rely on positions, loops, conditions or assumptions") {
    sketch s;
    s.m.workgroup_size = {16, 1, 1};
    const auto local = s.op(op::local_id, {}, 0);
    const auto d = s.op(op::cast, {s.any}, 0, s.scalar(scalar_kind::i32));
    s.put(ir::assume{s.op(op::gt, {d, s.i32(0)})});
    const auto assumed = s.op(op::div, {s.op(op::bit_cast, {s.any}, 0, s.scalar(scalar_kind::i32)), d});
    const auto made = s.op(op::rem, {s.any, s.op(op::bit_or, {s.any, s.u32(1)})});
    ir::value_id counter;
    s.for_(s.u32(0), s.u32(4), s.u32(1), [&](ir::value_id k) { counter = k; });
    const ir::range_table running = s.facts(), every = s.facts(holds_for::every_lane);
    CHECK(of(running, s.i) == bounds{0, 0xffff'fffe});
    CHECK(of(every, s.i) == bounds{0, 0xffff'ffff});
    CHECK(of(running, local) == bounds{0, 15});
    CHECK(of(every, local) == bounds{0, 0xffff'ffff});
    CHECK(of(running, counter) == bounds{0, 3});
    CHECK(of(every, counter) == bounds{0, 0xffff'ffff});
    CHECK(running.never_divides_by_zero(assumed));
    CHECK(running.never_overflows(assumed));
    CHECK_FALSE(every.never_divides_by_zero(assumed));
    CHECK_FALSE(every.never_overflows(assumed));
    CHECK(running.never_divides_by_zero(made));
    CHECK(every.never_divides_by_zero(made));
    CHECK(every.never_overflows(made));
}

TEST_CASE("The guards of a division vanish with a constant, an assumption or a range that excludes them") {
    sketch s;
    const auto a = s.op(op::cast, {s.any}, 0, s.scalar(scalar_kind::i32));
    const auto d = s.op(op::bit_cast, {s.load(s.x, s.u32(0))}, 0, s.scalar(scalar_kind::i32));
    const auto by = [&](ir::value_id divisor) { return s.op(op::div, {a, divisor}); };
    const auto open = by(d), by_three = by(s.i32(3)), by_zero = by(s.i32(0)), by_minus_one = by(s.i32(-1));
    const auto positive = by(s.op(op::max, {d, s.i32(1)}));
    const auto of_positive = s.op(op::div, {s.op(op::max, {a, s.i32(-5)}), d});
    const auto of_unsigned = s.op(op::rem, {s.any, s.any});
    s.put(ir::assume{s.op(op::ne, {d, s.i32(0)})});
    const auto assumed = by(d);
    const ir::range_table t = s.facts();
    struct expectation {
        ir::value_id division;
        bool zero, overflow;
    };
    for (const expectation& e : {expectation{open, false, false}, {by_three, true, true}, {by_zero, false, true},
                                 {by_minus_one, true, false}, {positive, true, true}, {of_positive, false, true},
                                 {of_unsigned, false, true}, {assumed, true, false}}) {
        INFO(e.division.number);
        CHECK(t.never_divides_by_zero(e.division) == e.zero);
        CHECK(t.never_overflows(e.division) == e.overflow);
    }
}

TEST_CASE("A condition holds in its branch, its opposite in the other and behind a branch that leaves") {
    sketch s;
    const auto v = s.any;
    const auto minus_one = [&] { return s.op(op::sub, {v, s.u32(1)}); };
    ir::value_id inside, otherwise, nested;
    s.if_(
        s.op(op::bit_and, {s.op(op::gt, {v, s.u32(4)}), s.op(op::le, {v, s.u32(9)})}),
        [&] {
            inside = minus_one();
            s.if_(s.op(op::lt, {v, s.u32(7)}), [&] { nested = minus_one(); });
        },
        [&] { otherwise = minus_one(); });
    const auto behind = minus_one();
    s.if_(s.op(op::bit_or, {s.op(op::eq, {v, s.u32(0)}), s.op(op::ge, {v, s.u32(100)})}),
          [&] { s.put(ir::return_statement{}); });
    const auto left = minus_one();
    ir::value_id known;
    const std::array cases{ir::switch_case{42, s.block([&] { known = minus_one(); })}};
    s.b.append_switch(v, cases, {});
    const ir::range_table t = s.facts();
    CHECK(of(t, inside) == bounds{4, 8});
    CHECK(t.never_wraps(inside));
    CHECK(of(t, nested) == bounds{4, 5});
    CHECK_FALSE(t.never_wraps(otherwise));
    CHECK_FALSE(t.never_wraps(behind));
    CHECK(of(t, left) == bounds{0, 98});
    CHECK(t.never_wraps(left));
    CHECK(of(t, known) == bounds{41, 41});
    CHECK(of(t, v) == bounds{0, 0xffff'ffff});  // where it is computed
}

TEST_CASE("Behind a branch that goes on nothing is known of its condition") {
    sketch s;
    s.if_(s.op(op::gt, {s.any, s.u32(4)}), [&] { s.store(s.y, s.i, s.any); }, [&] { s.store(s.y, s.i, s.i); });
    const auto up = s.op(op::add, {s.any, s.u32(1)}), down = s.op(op::sub, {s.any, s.u32(1)});
    const ir::range_table t = s.facts();
    CHECK_FALSE(t.never_wraps(up));
    CHECK_FALSE(t.never_wraps(down));
}

TEST_CASE("Two values that differ exclude each other only where one is known") {
    sketch s;
    const auto a = s.op(op::bit_and, {s.any, s.u32(7)}), b = s.op(op::bit_and, {s.any, s.u32(3)});
    ir::value_id unknown, known, inner;
    s.if_(s.op(op::ne, {a, b}), [&] { unknown = s.op(op::sub, {a, s.u32(1)}); });
    s.if_(s.op(op::ne, {a, s.u32(0)}), [&] { known = s.op(op::sub, {a, s.u32(1)}); });
    s.if_(s.op(op::ne, {a, s.u32(7)}), [&] { inner = s.op(op::add, {a, s.u32(0)}); });
    const ir::range_table t = s.facts();
    CHECK_FALSE(t.never_wraps(unknown));
    CHECK(of(t, known) == bounds{0, 6});
    CHECK(of(t, inner) == bounds{0, 6});
}

TEST_CASE("A comparison of two values narrows both") {
    sketch s;
    const auto a = s.any, b = s.op(op::bit_and, {s.load(s.x, s.u32(3)), s.u32(15)});
    ir::value_id below, above;
    s.if_(s.op(op::lt, {a, b}), [&] {
        below = s.op(op::add, {a, s.u32(1)});
        above = s.op(op::sub, {b, s.u32(1)});
    });
    const ir::range_table t = s.facts();
    CHECK(of(t, below) == bounds{1, 15});
    CHECK(of(t, above) == bounds{0, 14});
    CHECK(t.never_wraps(above));
}

TEST_CASE("A while loop's condition holds in its body, not behind it") {
    sketch s;
    const auto counter = s.local("counter", s.u32(0));
    ir::value_id inside;
    const auto v = s.any;
    s.while_([&] { return s.op(op::lt, {v, s.u32(8)}); }, [&] { inside = s.op(op::add, {v, s.u32(1)}); });
    const auto behind = s.op(op::add, {v, s.get(counter)});
    const ir::range_table t = s.facts();
    CHECK(of(t, inside) == bounds{1, 8});
    CHECK_FALSE(t.never_wraps(behind));
}

TEST_CASE("Shifts by less than the width need no mask") {
    sketch s;
    const auto by = [&](ir::value_id count) { return s.op(op::shr, {s.any, count}); };
    const auto open = by(s.any), known = by(s.u32(31)), too_far = by(s.u32(32));
    const auto masked = by(s.op(op::bit_and, {s.any, s.u32(31)}));
    const ir::range_table t = s.facts(holds_for::every_lane);
    CHECK_FALSE(t.stays_in_width(open));
    CHECK(t.stays_in_width(known));
    CHECK_FALSE(t.stays_in_width(too_far));
    CHECK(t.stays_in_width(masked));
    CHECK(of(t, known) == bounds{0, 1});
}

TEST_CASE("Vectors have the range of their components together, a part its own") {
    sketch s;
    const auto small = s.op(op::bit_and, {s.any, s.u32(7)});
    const auto v = s.op(op::construct, {small, s.u32(20)}, 0, ir::intern_vector(s.m, scalar_kind::u32, 2));
    const auto sum = s.op(op::add, {v, v});
    const auto part = s.op(op::extract, {v}, 0), part_of_sum = s.op(op::extract, {sum}, 0);
    const ir::range_table t = s.facts();
    CHECK(of(t, v) == bounds{0, 20});
    CHECK(of(t, sum) == bounds{0, 40});
    CHECK(t.never_wraps(sum));
    CHECK(of(t, part) == bounds{0, 7});
    CHECK(of(t, part_of_sum) == bounds{0, 40});
}

TEST_CASE("64-bit numbers have their whole range") {
    sketch s;
    const auto i64 = s.any_of(scalar_kind::i64), u64 = s.any_of(scalar_kind::u64);
    const auto product = s.op(op::mul, {u64, u64});
    const auto high = s.op(op::shl, {u64, s.number(scalar_kind::u64, 32)});
    const auto over = s.op(op::add, {high, high});
    const auto least = s.op(op::sub, {s.number(scalar_kind::i64, INT64_MIN), i64});
    const ir::range_table t = s.facts();
    CHECK(t.never_wraps(product));  // (2^32 - 1)^2 < 2^64
    CHECK(t.never_wraps(high));
    CHECK_FALSE(t.never_wraps(over));
    CHECK(t.range_of(over).last == (ir::wide_integer{1} << 64) - 1);
    CHECK_FALSE(t.never_wraps(least));
}

TEST_CASE("Every 8-bit operation stays in its range, and wraps, divides and shifts only where that is not excluded") {
    constexpr std::array ops{op::add, op::sub, op::mul, op::div, op::rem, op::min, op::max, op::bit_and, op::bit_or,
                             op::bit_xor, op::shl, op::shr, op::neg, op::abs, op::bit_not, op::popcount, op::clz,
                             op::ctz, op::reverse_bits};
    tests::random_source random(1);
    std::size_t facts = 0;
    for (const scalar_kind k : {scalar_kind::i8, scalar_kind::u8})
        for (const op code : ops)
            for (int round = 0; round < 60; ++round) {
                const std::int64_t low = ir::is_signed_integer(k) ? -128 : 0;
                const auto pick = [&] {
                    const std::int64_t first = low + random.below(256), last = low + random.below(256);
                    const std::int64_t near = std::min<std::int64_t>(first + random.below(4), low + 255);
                    return round % 2 == 0 ? bounds{std::min(first, last), std::max(first, last)} : bounds{first, near};
                };
                const bounds a = pick(), b = pick();
                sketch s;
                const auto x = s.between(s.any_of(k), a[0], a[1]), y = s.between(s.any_of(k), b[0], b[1]);
                const bool binary = ir::info(code).arity == 2;
                const auto r = binary ? s.op(code, {x, y}) : s.op(code, {x});
                const ir::range_table t = s.facts(holds_for::every_lane);
                INFO(ir::info(code).name << ' ' << a[0] << ".." << a[1] << ", " << b[0] << ".." << b[1]);
                REQUIRE(of(t, x) == a);
                bool contained = true, exact = true, by_zero = false, overflows = false, far = false;
                for (std::int64_t p = a[0]; p <= a[1]; ++p)
                    for (std::int64_t q = b[0]; q <= (binary ? b[1] : b[0]); ++q) {
                        const std::array operands{static_cast<std::uint64_t>(p) & 255, static_cast<std::uint64_t>(q) & 255};
                        const auto bits = ir::evaluate(code, k, k, std::span(operands).first(binary ? 2 : 1));
                        const std::int64_t result = extend(k, bits);
                        contained = contained && t.range_of(r).contains(result);
                        if (code == op::add) exact = exact && result == p + q;
                        if (code == op::sub) exact = exact && result == p - q;
                        if (code == op::mul) exact = exact && result == p * q;
                        if (code == op::neg) exact = exact && result == -p;
                        if (code == op::abs) exact = exact && result == (p < 0 ? -p : p);
                        if (code == op::shl) exact = exact && result == p * (std::int64_t{1} << (q & 7));
                        by_zero |= q == 0;
                        overflows |= q == -1 && p == -128;
                        far |= q < 0 || q > 7;
                    }
                CHECK(contained);
                if (t.never_wraps(r)) CHECK(exact);
                if (t.never_divides_by_zero(r)) CHECK_FALSE(by_zero);
                if (t.never_overflows(r)) CHECK_FALSE(overflows);
                if (t.stays_in_width(r)) CHECK_FALSE(far);
                facts += t.never_wraps(r) + t.never_divides_by_zero(r) + t.never_overflows(r) + t.stays_in_width(r);
                if (code == op::div || code == op::rem) CHECK(t.never_divides_by_zero(r) == !by_zero);
                if (code == op::shl || code == op::shr) CHECK(t.stays_in_width(r) == !far);
                if (code == op::add || code == op::sub) CHECK(t.never_wraps(r) == exact);
            }
    CHECK(facts > 500);
}
