// Unrolling, splitting of private arrays and forwarding between straight lines: what is left is written out by hand,
// and computes what it computed before.
#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <string>

#include "jit/passes/fold_constants.hpp"
#include "jit/passes/forward_stores.hpp"
#include "jit/passes/hoist_loop_invariants.hpp"
#include "jit/passes/pipeline.hpp"
#include "jit/passes/split_private_arrays.hpp"
#include "jit/passes/unroll_constant_loops.hpp"
#include "tests/unit/ir_kernels.hpp"
#include "tests/unit/pass_support.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;
using tests::after_all;
using tests::maker;

namespace {

/// y[i] = what `make` leaves in a variable; x can be read.
struct sketch : maker {
    sketch() : maker("sketch") {
        y = buffer("y", ir::access::read_write, scalar(scalar_kind::u32));
        x = buffer("x", ir::access::read, scalar(scalar_kind::u32));
        i = op(ir::op::global_id, {}, 0);
        sum = local("sum", u32(0));
    }
    void add_to_sum(ir::value_id v) { set(sum, op(ir::op::add, {get(sum), v})); }
    ir::value_id masked(ir::value_id v) { return op(ir::op::bit_and, {v, u32(15)}); }
    ir::module done() {
        store(y, i, get(sum));
        return finish();
    }

    std::uint32_t y = 0, x = 0;
    ir::value_id i;
    ir::variable_id sum;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

std::string unrolled(const ir::module& m) { return after_all(m, jit::unroll_constant_loops); }

void check_meaning(const ir::module& m) {
    ir::module optimised = m;
    jit::optimise(optimised);
    CHECK(tests::run_on_interpreter(optimised) == tests::run_on_interpreter(m));
}

/// for (k = first; k < last; k += step) sum += k, of this type
template <class Number>
std::string counted(scalar_kind kind, Number first, Number last, Number step) {
    sketch s;
    const auto number = [&](Number n) {
        return s.b.constant(kind, static_cast<std::uint64_t>(n) & (~std::uint64_t{0} >> (64 - ir::bit_width(kind))));
    };
    s.for_(number(first), number(last), number(step), [&](ir::value_id k) {
        s.add_to_sum(kind == scalar_kind::u32 ? k : s.op(op::cast, {k}, 0, s.scalar(scalar_kind::u32)));
    });
    const ir::module m = s.done();
    check_meaning(m);
    const std::string text =
        after_all(m, jit::unroll_constant_loops, jit::forward_stores, jit::fold_constants, jit::forward_stores);
    CHECK(!has(text, "for "));
    const std::size_t at = text.find("], ") + 3;
    return text.substr(at, text.size() - at - 1);
}

}  // namespace

TEST_CASE("A constant loop becomes a straight line whose indices are folded") {
    sketch s;
    s.for_(s.u32(0), s.u32(3), s.u32(1), [&](ir::value_id k) {
        s.add_to_sum(s.op(op::mul, {s.load(s.x, s.masked(s.op(op::add, {s.i, k}))), k}));
    });
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(after_all(m, jit::unroll_constant_loops, jit::forward_stores, jit::fold_constants) ==
          R"(  %v0 = global_id.x : u32
  %v1 = add %v0, 1u32 : u32
  %v2 = bit_and %v1, 15u32 : u32
  %v3 = load %x[%v2] : u32
  %v4 = add %v0, 2u32 : u32
  %v5 = bit_and %v4, 15u32 : u32
  %v6 = load %x[%v5] : u32
  %v7 = mul %v6, 2u32 : u32
  %v8 = add %v3, %v7 : u32
  store %y[%v0], %v8
)");
}

TEST_CASE("The trips of a constant loop follow its type, its step and its end") {
    CHECK(counted<std::int64_t>(scalar_kind::u32, 0, 10, 3) == "18u32");            // 0 3 6 9
    CHECK(counted<std::int64_t>(scalar_kind::u32, 0, 9, 3) == "9u32");              // 0 3 6
    CHECK(counted<std::int64_t>(scalar_kind::i32, -3, 3, 2) == "4294967293u32");    // -3 -1 1
    CHECK(counted<std::int64_t>(scalar_kind::u32, 0xffff'fffd, 0xffff'ffff, 1) == "4294967291u32");  // -3 - 2
    CHECK(counted<std::int64_t>(scalar_kind::u32, 0xffff'fff0, 0xffff'ffff, 15) == "4294967280u32");  // would wrap after
    CHECK(counted<std::int64_t>(scalar_kind::i64, -1, 3, 1) == "2u32");            // -1 0 1 2
    CHECK(counted<std::int64_t>(scalar_kind::i32, 0x7fff'fffe, 0x7fff'ffff, 0x7fff'ffff) == "2147483646u32");
}

TEST_CASE("Loops are unrolled from the innermost on, while the line stays short") {
    const auto nest = [](std::uint32_t outer, std::uint32_t inner) {
        sketch s;
        s.for_(s.u32(0), s.u32(outer), s.u32(1), [&](ir::value_id a) {
            s.for_(s.u32(0), s.u32(inner), s.u32(1), [&](ir::value_id b) {
                s.add_to_sum(s.load(s.x, s.masked(s.op(op::add, {s.op(op::mul, {a, s.u32(16)}), b}))));
            });
        });
        const ir::module m = s.done();
        check_meaning(m);
        return count(unrolled(m), "for ");
    };
    CHECK(nest(4, 4) == 0);    // 16 iterations
    CHECK(nest(100, 4) == 1);  // the inner one
    CHECK(nest(4, 100) == 2);  // none: it is the inner one whose body matters
}

TEST_CASE("A loop that breaks, continues or waits stays, one that returns or has another loop's break does not") {
    const auto with = [](auto body) {
        sketch s;
        s.for_(s.u32(0), s.u32(4), s.u32(1), [&](ir::value_id k) {
            s.add_to_sum(k);
            body(s, k);
        });
        const ir::module m = s.done();
        check_meaning(m);
        return count(unrolled(m), "for ");
    };
    CHECK(with([](sketch&, ir::value_id) {}) == 0);
    CHECK(with([](sketch& s, ir::value_id k) {
              s.if_(s.op(op::eq, {k, s.i}), [&] { s.put(ir::break_statement{}); });
          }) == 1);
    CHECK(with([](sketch& s, ir::value_id k) {
              s.if_(s.op(op::eq, {k, s.i}), [&] { s.put(ir::continue_statement{}); });
              s.add_to_sum(s.i);
          }) == 1);
    CHECK(with([](sketch& s, ir::value_id k) {
              s.if_(s.op(op::eq, {k, s.i}), [&] { s.put(ir::return_statement{}); });
          }) == 0);
    CHECK(with([](sketch& s, ir::value_id k) {
              const auto a = s.b.add_variable({ir::storage::local, ir::intern_array(s.m, s.m[k].type, 4)});
              s.put(ir::declare{a});
              s.put(ir::store{s.in_variable(a, {maker::index(k)}), k});
              s.for_(s.u32(0), s.i, s.u32(1), [&](ir::value_id n) {
                  s.if_(s.op(op::eq, {k, n}), [&] { s.put(ir::break_statement{}); });
                  s.add_to_sum(n);
              });
          }) == 4);

    maker k("waits", 16);
    k.for_(k.u32(0), k.u32(4), k.u32(1), [&](ir::value_id) { k.put(ir::barrier{}); });
    CHECK(has(unrolled(k.finish()), "for "));
}

TEST_CASE("Switches in loops in switches are copied with their cases") {
    sketch s;
    const auto choose = [&](ir::value_id by, auto first, auto otherwise) {
        const std::array cases{ir::switch_case{0, s.block(first)}, ir::switch_case{1, s.block(otherwise)}};
        const auto rest = s.block([&] { s.add_to_sum(s.u32(100)); });
        s.b.append_switch(s.op(op::rem, {by, s.u32(3)}), cases, rest);
    };
    const auto loop = [&] {
        s.for_(s.u32(0), s.u32(4), s.u32(1), [&](ir::value_id k) {
            choose(s.op(op::add, {s.i, k}), [&] { s.add_to_sum(k); }, [&] { s.add_to_sum(s.i); });
        });
    };
    choose(s.i, loop, loop);
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(count(unrolled(m), "switch ") == 9);
}

TEST_CASE("What a loop body declares is a variable of its own in each iteration") {
    sketch s;
    s.for_(s.u32(0), s.u32(2), s.u32(1), [&](ir::value_id k) {
        const auto t = s.local("t", k);
        s.if_(s.op(op::lt, {s.i, s.u32(4)}), [&] { s.set(t, s.i); });
        s.add_to_sum(s.get(t));
    });
    const ir::module m = s.done();
    check_meaning(m);
    const std::string text = unrolled(m);
    CHECK(has(text, "declare %t: u32\n"));
    CHECK(has(text, "declare %t.1: u32\n"));
    CHECK(has(text, "store %t.1, 1u32\n"));
}

TEST_CASE("A line may be longer if that lets a private array live in registers") {
    const auto unrolls = [](std::uint32_t trips, bool indexes_array) {
        sketch s;
        const auto a = s.b.add_variable({ir::storage::local, ir::intern_array(s.m, s.scalar(scalar_kind::u32), 400)});
        s.put(ir::declare{a});
        s.for_(s.u32(0), s.u32(trips), s.u32(1), [&](ir::value_id k) {
            const auto at = indexes_array ? k : s.u32(0);
            s.put(ir::store{s.in_variable(a, {maker::index(at)}), k});
            s.add_to_sum(s.b.load(s.in_variable(a, {maker::index(at)})));
        });
        return !has(unrolled(s.done()), "for ");
    };
    CHECK(unrolls(42, false));  // 6 an iteration, at most 256
    CHECK_FALSE(unrolls(43, false));
    CHECK(unrolls(170, true));  // at most 1024
    CHECK_FALSE(unrolls(171, true));
}

TEST_CASE("Unrolling adds a bounded number of statements to a kernel of many loops") {
    sketch s;
    for (int n = 0; n < 5'000; ++n)
        s.for_(s.u32(0), s.u32(8), s.u32(1), [&](ir::value_id k) { s.add_to_sum(k); });
    const std::string text = unrolled(s.done());
    CHECK(count(text, "for ") > 4'500);
    CHECK(count(text, "for ") < 5'000);
}

TEST_CASE("An array with constant indices becomes one variable an element, then values") {
    sketch s;
    const auto pair = s.b.add_variable({ir::storage::local, ir::intern_array(s.m, s.scalar(scalar_kind::u32), 2)});
    s.put(ir::declare{pair});
    s.for_(s.u32(0), s.u32(2), s.u32(1), [&](ir::value_id k) {
        s.put(ir::store{s.in_variable(pair, {maker::index(k)}), s.load(s.x, s.masked(s.op(op::add, {s.i, k})))});
    });
    s.for_(s.u32(0), s.i, s.u32(1), [&](ir::value_id) {
        const auto second = s.in_variable(pair, {maker::index(s.i32(1))});
        s.put(ir::store{second, s.op(op::add, {s.b.load(second), s.u32(1)})});
    });
    s.add_to_sum(s.b.load(s.in_variable(pair, {maker::index(s.u32(0))})));
    s.add_to_sum(s.b.load(s.in_variable(pair, {maker::index(s.u32(1))})));
    const ir::module m = s.done();
    check_meaning(m);
    ir::module optimised = m;
    jit::optimise(optimised);
    CHECK(tests::body_of(optimised) == R"(  declare %t0: u32
  %v0 = global_id.x : u32
  %v1 = add %v0, 1u32 : u32
  %v2 = bit_and %v1, 15u32 : u32
  %v3 = load %x[%v2] : u32
  %v4 = bit_and %v0, 15u32 : u32
  %v5 = load %x[%v4] : u32
  store %t0, %v3
  for %v6 = 0u32 to %v0 step 1u32 : u32 {
    %v7 = load %t0 : u32
    %v8 = add %v7, 1u32 : u32
    store %t0, %v8
  }
  %v9 = load %t0 : u32
  %v10 = add %v5, %v9 : u32
  store %y[%v0], %v10
)");
}

TEST_CASE("An array with one open or impossible index, or larger than registers, stays an array") {
    const auto with = [](std::uint32_t elements, auto index) {
        sketch s;
        const auto a =
            s.b.add_variable({ir::storage::local, ir::intern_array(s.m, s.scalar(scalar_kind::u32), elements)});
        s.put(ir::declare{a});
        s.put(ir::store{s.in_variable(a, {maker::index(s.u32(0))}), s.i});
        s.if_(s.op(op::lt, {s.i, s.u32(0)}),
              [&] { s.put(ir::store{s.in_variable(a, {maker::index(index(s))}), s.i}); });
        s.add_to_sum(s.b.load(s.in_variable(a, {maker::index(s.u32(0))})));
        const ir::module m = s.done();
        check_meaning(m);
        return has(after_all(m, jit::split_private_arrays), "array<");
    };
    CHECK_FALSE(with(4, [](sketch& s) { return s.u32(3); }));
    CHECK(with(4, [](sketch& s) { return s.u32(4); }));
    CHECK(with(4, [](sketch& s) { return s.i32(-1); }));
    CHECK(with(4, [](sketch& s) { return s.op(op::bit_and, {s.i, s.u32(3)}); }));
    CHECK_FALSE(with(128, [](sketch& s) { return s.u32(3); }));
    CHECK(with(129, [](sketch& s) { return s.u32(3); }));
}

TEST_CASE("A struct with a vector is split down to its components, also where it is read as a whole") {
    sketch s;
    const auto u32 = s.scalar(scalar_kind::u32), pair = ir::intern_vector(s.m, scalar_kind::u32, 2);
    const std::array members{ir::member{0, pair, "at"}, ir::member{8, u32, "size"}};
    const auto box = ir::intern_struct(s.m, members, 12, 4);
    const auto v = s.b.add_variable({ir::storage::local, box});
    s.put(ir::declare{v});
    const auto at = s.op(op::construct, {s.i, s.u32(1)}, 0, pair);
    s.put(ir::store{s.in_variable(v), s.op(op::construct, {at, s.u32(2)}, 0, box)});
    s.put(ir::store{s.in_variable(v, {maker::member(0), maker::member(1)}), s.u32(5)});
    const auto whole = s.b.load(s.in_variable(v, {maker::member(0)}));
    s.add_to_sum(s.op(op::extract, {whole}, 0));
    s.add_to_sum(s.op(op::extract, {whole}, 1));
    s.add_to_sum(s.b.load(s.in_variable(v, {maker::member(1)})));
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(after_all(m, jit::split_private_arrays, jit::forward_stores, jit::fold_constants, jit::forward_stores) ==
          R"(  %v0 = global_id.x : u32
  %v1 = add %v0, 5u32 : u32
  %v2 = add %v1, 2u32 : u32
  store %y[%v0], %v2
)");
}

TEST_CASE("A vector that is only used as a whole stays one") {
    sketch s;
    const auto pair = ir::intern_vector(s.m, scalar_kind::u32, 2);
    const auto v = s.local("v", s.op(op::construct, {s.i, s.i}, 0, pair));
    s.for_(s.u32(0), s.i, s.u32(1), [&](ir::value_id) { s.set(v, s.op(op::add, {s.get(v), s.get(v)})); });
    s.add_to_sum(s.op(op::extract, {s.get(v)}, 0));
    CHECK(has(after_all(s.done(), jit::split_private_arrays), "declare %v: vec2<u32>\n"));
}

TEST_CASE("A load is the last store before it, unless a loop or a branch may have stored since") {
    sketch s;
    s.set(s.sum, s.i);
    s.store(s.y, s.u32(1), s.get(s.sum));  // i
    s.if_(
        s.op(op::lt, {s.i, s.u32(4)}),
        [&] {
            s.store(s.y, s.u32(2), s.get(s.sum));  // i
            s.set(s.sum, s.u32(7));
            s.store(s.y, s.u32(3), s.get(s.sum));  // 7
        });
    s.store(s.y, s.u32(4), s.get(s.sum));  // i or 7
    s.for_(s.u32(0), s.i, s.u32(1), [&](ir::value_id) {
        s.store(s.y, s.u32(5), s.get(s.sum));  // of the iteration before
        s.add_to_sum(s.u32(1));
        s.store(s.y, s.u32(6), s.get(s.sum));
    });
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(after_all(m, jit::forward_stores) == R"(  declare %sum: u32
  %v0 = global_id.x : u32
  store %sum, %v0
  store %y[1u32], %v0
  %v1 = lt %v0, 4u32 : bool
  if %v1 {
    store %y[2u32], %v0
    store %sum, 7u32
    store %y[3u32], 7u32
  }
  %v2 = load %sum : u32
  store %y[4u32], %v2
  for %v3 = 0u32 to %v0 step 1u32 : u32 {
    %v4 = load %sum : u32
    store %y[5u32], %v4
    %v5 = add %v4, 1u32 : u32
    store %sum, %v5
    store %y[6u32], %v5
  }
  %v6 = load %sum : u32
  store %y[%v0], %v6
)");
}

TEST_CASE("A store stays if a jump may leave to where it is read") {
    sketch s;
    s.for_(s.u32(0), s.u32(9), s.u32(1), [&](ir::value_id k) {
        s.set(s.sum, k);
        s.if_(s.op(op::eq, {k, s.i}), [&] { s.put(ir::break_statement{}); });
        s.set(s.sum, s.u32(77));
    });
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(count(after_all(m, jit::forward_stores), "store %sum") == 3);
}

TEST_CASE("A store stays if a loop reads it that stores in part") {
    sketch s;
    const auto pair = ir::intern_vector(s.m, scalar_kind::u32, 2);
    const auto v = s.local("v", s.op(op::construct, {s.u32(1), s.u32(2)}, 0, pair));
    s.for_(s.u32(0), s.i, s.u32(1), [&](ir::value_id k) {
        s.add_to_sum(s.op(op::extract, {s.get(v)}, 0));
        s.put(ir::store{s.in_variable(v, {maker::index(s.op(op::bit_and, {k, s.u32(1)}))}), k});
    });
    s.set(v, s.op(op::construct, {s.i, s.i}, 0, pair));
    s.add_to_sum(s.b.load(s.in_variable(v, {maker::index(s.op(op::bit_and, {s.i, s.u32(1)}))})));
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(count(after_all(m, jit::forward_stores), "store %v, ") == 2);
}

TEST_CASE("A store in part ends what is known of the whole") {
    sketch s;
    const auto pair = ir::intern_vector(s.m, scalar_kind::u32, 2);
    const auto v = s.local("v", s.op(op::construct, {s.u32(1), s.u32(2)}, 0, pair));
    s.put(ir::store{s.in_variable(v, {maker::index(s.op(op::bit_and, {s.i, s.u32(1)}))}), s.u32(9)});
    s.add_to_sum(s.op(op::extract, {s.get(v)}, 0));
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(has(after_all(m, jit::forward_stores), "load %v : vec2<u32>"));
}

TEST_CASE("Values that every iteration computes alike leave all loops that do not change them") {
    sketch s;
    s.for_(s.u32(0), s.i, s.u32(1), [&](ir::value_id a) {
        s.for_(a, s.i, s.u32(1), [&](ir::value_id b) {
            const auto square = s.op(op::mul, {s.i, s.i});
            const auto outer = s.op(op::add, {square, a});
            s.add_to_sum(s.op(op::add, {outer, b}));
        });
    });
    const ir::module m = s.done();
    check_meaning(m);
    CHECK(after_all(m, jit::hoist_loop_invariants) == R"(  declare %sum: u32
  store %sum, 0u32
  %v0 = global_id.x : u32
  %v1 = mul %v0, %v0 : u32
  for %v2 = 0u32 to %v0 step 1u32 : u32 {
    %v3 = add %v1, %v2 : u32
    for %v4 = %v2 to %v0 step 1u32 : u32 {
      %v5 = load %sum : u32
      %v6 = add %v3, %v4 : u32
      %v7 = add %v5, %v6 : u32
      store %sum, %v7
    }
  }
  %v8 = load %sum : u32
  store %y[%v0], %v8
)");
}

TEST_CASE("A load leaves a loop that certainly reaches it, if nothing writes what it reads") {
    enum class from : std::uint8_t { fixed, written, variable };
    const auto leaves = [](from buffer, auto last, auto before) {
        sketch s;
        s.for_(s.u32(0), last(s), s.u32(1), [&](ir::value_id k) {
            before(s, k);
            s.add_to_sum(buffer == from::variable ? s.get(s.sum) : s.load(buffer == from::fixed ? s.x : s.y, s.i));
        });
        const ir::module m = s.done();
        check_meaning(m);
        const std::string text = after_all(m, jit::hoist_loop_invariants);
        const std::string load = buffer == from::fixed ? "load %x" : buffer == from::written ? "load %y" : "load %sum";
        return text.find(load) < text.find("for ");
    };
    const auto four = [](sketch& s) { return s.u32(4); };
    const auto nothing = [](sketch&, ir::value_id) {};
    CHECK(leaves(from::fixed, four, nothing));
    CHECK_FALSE(leaves(from::written, four, nothing));
    CHECK_FALSE(leaves(from::variable, four, nothing));
    CHECK_FALSE(leaves(from::fixed, [](sketch& s) { return s.i; }, nothing));
    CHECK_FALSE(leaves(from::fixed, four, [](sketch& s, ir::value_id k) {
        s.if_(s.op(op::eq, {k, s.i}), [&] { s.put(ir::break_statement{}); });
    }));
}

TEST_CASE("The head of a while loop runs, its body may not") {
    const auto text = [](bool in_head) {
        sketch s;
        const auto again = [&] { return s.op(op::lt, {s.get(s.sum), s.u32(20)}); };
        s.while_(
            [&] {
                if (!in_head) return again();
                return s.op(op::lt, {s.get(s.sum), s.op(op::bit_and, {s.load(s.x, s.i), s.u32(15)})});
            },
            [&] { s.add_to_sum(in_head ? s.u32(1) : s.op(op::bit_or, {s.load(s.x, s.i), s.u32(9)})); });
        const ir::module m = s.done();
        check_meaning(m);
        return after_all(m, jit::hoist_loop_invariants);
    };
    const std::string head = text(true), body = text(false);
    CHECK(head.find("load %x") < head.find("while"));
    CHECK(head.find("bit_and") < head.find("while"));
    CHECK(body.find("load %x") > body.find("while"));
}

TEST_CASE("Nothing leaves a loop with a barrier, across which values are kept in memory") {
    maker k("waits", 16);
    const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
    const auto n = k.value("n", k.scalar(scalar_kind::u32));
    const auto i = k.op(op::global_id, {}, 0);
    k.for_(k.u32(0), n, k.u32(1), [&](ir::value_id) {
        k.put(ir::barrier{});
        k.store(y, i, k.op(op::mul, {i, i}));
    });
    const std::string text = after_all(k.finish(), jit::hoist_loop_invariants);
    CHECK(text.find("mul ") > text.find("for "));
}
