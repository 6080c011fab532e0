// The passes, one by one on kernels whose result is known, and all of them on random kernels against the interpreter.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

#include "dsl/ir/canonical.hpp"
#include "dsl/ir/validator.hpp"
#include "jit/passes/fold_constants.hpp"
#include "jit/passes/forward_stores.hpp"
#include "jit/passes/merge_common_values.hpp"
#include "jit/passes/pipeline.hpp"
#include "jit/passes/remove_dead_code.hpp"
#include "tests/unit/pass_support.hpp"
#include "tests/unit/random_kernel.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;
using tests::maker;

namespace {

std::string after(void (*pass)(ir::module&), ir::module m) { return tests::after_all(std::move(m), pass); }

/// y[0] = what `make` yields
template <class Make>
ir::module stores(Make make) {
    maker k("stores");
    const auto n = k.value("n", k.scalar(scalar_kind::u32));
    const ir::value_id v = make(k, n);
    const auto y = k.buffer("y", ir::access::write, k.m[v].type);
    k.store(y, k.u32(0), v);
    return k.finish();
}

template <class Make>
std::string folded(Make make) {
    return after(jit::fold_constants, stores(make));
}

}  // namespace

TEST_CASE("Exact operations on constants are computed") {
    CHECK(folded([](maker& k, auto) { return k.op(op::add, {k.op(op::mul, {k.u32(6), k.u32(7)}), k.u32(1)}); }) ==
          "  store %y[0u32], 43u32\n");
    CHECK(folded([](maker& k, auto) { return k.op(op::div, {k.f32(1), k.f32(3)}); }) ==
          "  store %y[0u32], 0.33333334f32\n");
    CHECK(folded([](maker& k, auto) { return k.op(op::div, {k.i32(5), k.i32(0)}); }) == "  store %y[0u32], 5i32\n");
    CHECK(folded([](maker& k, auto) { return k.op(op::cast, {k.i32(-1)}, 0, k.scalar(scalar_kind::f32)); }) ==
          "  store %y[0u32], -1.0f32\n");
    CHECK(folded([](maker& k, auto) { return k.op(op::lt, {k.i32(-1), k.i32(0)}); }) == "  store %y[0u32], true\n");
    CHECK(folded([](maker& k, auto) { return k.op(op::select, {k.boolean(false), k.f32(1), k.f32(2)}); }) ==
          "  store %y[0u32], 2.0f32\n");
}

TEST_CASE("Functions with an error bound are left to the device") {
    CHECK(folded([](maker& k, auto) { return k.op(op::sin, {k.f32(1)}); }) ==
          "  %v0 = sin 1.0f32 : f32\n  store %y[0u32], %v0\n");
}

TEST_CASE("Integer identities drop the operation, float ones stay") {
    const std::string n = "  store %y[0u32], %n\n", zero = "  store %y[0u32], 0u32\n";
    const auto with = [](op code, std::uint32_t constant, bool constant_first = false) {
        return folded([=](maker& k, ir::value_id n) {
            const auto c = k.u32(constant);
            return constant_first ? k.op(code, {c, n}) : k.op(code, {n, c});
        });
    };
    CHECK(with(op::add, 0) == n);
    CHECK(with(op::add, 0, true) == n);
    CHECK(with(op::sub, 0) == n);
    CHECK(with(op::sub, 0, true) == "  %v0 = sub 0u32, %n : u32\n  store %y[0u32], %v0\n");
    CHECK(with(op::mul, 1) == n);
    CHECK(with(op::mul, 0, true) == zero);
    CHECK(with(op::div, 1) == n);
    CHECK(with(op::div, 1, true) != n);
    CHECK(with(op::bit_and, 0xffff'ffff) == n);
    CHECK(with(op::bit_and, 0) == zero);
    CHECK(with(op::bit_or, 0, true) == n);
    CHECK(with(op::bit_xor, 0) == n);
    CHECK(with(op::shl, 0) == n);
    CHECK(with(op::shr, 0, true) != n);
    const std::string kept = folded(
        [](maker& k, auto n) { return k.op(op::add, {k.op(op::cast, {n}, 0, k.scalar(scalar_kind::f32)), k.f32(0)}); });
    CHECK(kept.find("add %v0, 0.0f32") != std::string::npos);
}

TEST_CASE("A part of what was put together is that part, and both sides of a select may be one") {
    CHECK(folded([](maker& k, auto n) {
              const auto v = k.op(op::construct, {k.u32(1), n}, 0, ir::intern_vector(k.m, scalar_kind::u32, 2));
              return k.op(op::extract, {v}, 1);
          }) == "  store %y[0u32], %n\n");
    CHECK(folded([](maker& k, auto n) { return k.op(op::select, {k.op(op::lt, {n, k.u32(4)}), n, n}); }) ==
          "  store %y[0u32], %n\n");
}

TEST_CASE("A certain branch leaves its statements in place of itself") {
    maker k("branches");
    const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
    const auto put = [&](std::uint32_t v) { return [&k, y, v] { k.store(y, k.u32(v), k.u32(v)); }; };
    k.if_(k.op(op::lt, {k.u32(1), k.u32(2)}), put(1), put(2));
    k.if_(k.boolean(false), put(3), [&] { k.if_(k.boolean(true), put(4)); });
    const std::array cases{ir::switch_case{7, k.block(put(5))}, ir::switch_case{8, k.block(put(6))}};
    k.b.append_switch(k.op(op::add, {k.u32(7), k.u32(1)}), cases, k.block(put(7)));
    k.for_(k.u32(5), k.u32(5), k.u32(1), [&](ir::value_id) { put(8)(); });
    k.if_(k.op(op::eq, {k.u32(1), k.u32(2)}), put(9));
    CHECK(after(jit::fold_constants, k.finish()) ==
          "  store %y[1u32], 1u32\n  store %y[4u32], 4u32\n  store %y[6u32], 6u32\n");
}

TEST_CASE("A step that turns out not to be positive is the user's mistake") {
    maker k("steps");
    const auto n = k.value("n", k.scalar(scalar_kind::i32));
    k.for_(n, n, k.at(3).op(op::sub, {k.i32(1), k.i32(2)}), [](ir::value_id) {});
    ir::module m = k.finish();
    CHECK_THROWS_AS(jit::optimise(m), usage_error);
    m = k.m;
    CHECK_THROWS_WITH(jit::fold_constants(m), "kernel.cpp:3: the step of a for must be positive, not -1i32");
}

TEST_CASE("Equal values that dominate stand for the others") {
    maker k("common");
    const auto u32 = k.scalar(scalar_kind::u32);
    const auto y = k.buffer("y", ir::access::read_write, u32);
    const auto x = k.buffer("x", ir::access::read, u32);
    const auto i = k.op(op::global_id, {}, 0);
    const auto sum = [&] { return k.op(op::add, {k.load(x, i), k.op(op::mul, {i, k.u32(3)})}); };
    k.store(y, sum(), k.load(y, i));
    k.if_(
        k.op(op::lt, {i, k.u32(4)}), [&] { k.store(y, sum(), k.op(op::neg, {k.load(y, i)})); },
        [&] { k.store(y, i, k.op(op::neg, {k.load(y, i)})); });
    CHECK(after(jit::merge_common_values, k.finish()) == R"(  %v0 = global_id.x : u32
  %v1 = load %x[%v0] : u32
  %v2 = load %y[%v0] : u32
  %v3 = mul %v0, 3u32 : u32
  %v4 = add %v1, %v3 : u32
  store %y[%v4], %v2
  %v5 = lt %v0, 4u32 : bool
  if %v5 {
    %v6 = load %y[%v0] : u32
    %v7 = neg %v6 : u32
    store %y[%v4], %v7
  } else {
    %v8 = load %y[%v0] : u32
    %v9 = neg %v8 : u32
    store %y[%v0], %v9
  }
)");
}

TEST_CASE("A variable that is stored once is its value") {
    maker k("once");
    const auto u32 = k.scalar(scalar_kind::u32);
    const auto y = k.buffer("y", ir::access::write, u32);
    const auto i = k.op(op::global_id, {}, 0);
    const auto once = k.local("once", k.op(op::mul, {i, i}));
    const auto twice = k.local("twice", i);
    k.for_(k.u32(0), i, k.u32(1), [&](ir::value_id n) {
        const auto inner = k.local("inner", k.op(op::add, {k.get(once), n}));
        k.set(twice, k.get(inner));
    });
    k.store(y, k.get(once), k.get(twice));
    CHECK(after(jit::forward_stores, k.finish()) == R"(  declare %twice: u32
  %v0 = global_id.x : u32
  store %twice, %v0
  %v1 = mul %v0, %v0 : u32
  for %v2 = 0u32 to %v0 step 1u32 : u32 {
    %v3 = add %v1, %v2 : u32
    store %twice, %v3
  }
  %v4 = load %twice : u32
  store %y[%v1], %v4
)");
}

TEST_CASE("A variable whose store is not the first thing that happens stays a variable") {
    maker k("later");
    const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
    const auto i = k.op(op::global_id, {}, 0);
    const auto t = k.b.add_variable({ir::storage::local, k.scalar(scalar_kind::u32)});
    k.put(ir::declare{t});
    k.if_(k.op(op::lt, {i, k.u32(4)}), [&] { k.set(t, i); });
    k.store(y, i, k.get(t));
    CHECK(after(jit::forward_stores, k.finish()).find("load %t0") != std::string::npos);
}

TEST_CASE("What is read before it is stored is not what is stored") {
    maker k("early");
    const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
    const auto t = k.b.add_variable({ir::storage::local, k.scalar(scalar_kind::u32)});
    k.put(ir::declare{t});
    const auto undefined = k.get(t);
    k.set(t, k.op(op::add, {undefined, k.u32(1)}));
    k.store(y, k.u32(0), k.get(t));
    CHECK(after(jit::forward_stores, k.finish()) == R"(  declare %t0: u32
  %v0 = load %t0 : u32
  %v1 = add %v0, 1u32 : u32
  store %t0, %v1
  store %y[0u32], %v1
)");
}

TEST_CASE("Optimised kernels compute what they computed before") {
    std::size_t before = 0, left = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const ir::module m = tests::random_kernel(seed).make(40);
        ir::module optimised = m;
        jit::optimise(optimised);
        INFO(seed);
        REQUIRE_NOTHROW(ir::validate(optimised));
        CHECK(ir::to_bytes(ir::canonicalise(optimised)) == ir::to_bytes(optimised));
        before += ir::canonicalise(m).values.size();
        left += optimised.values.size();
        CHECK(tests::run_on_interpreter(optimised) == tests::run_on_interpreter(m));
    }
    CHECK(left < before);
}

TEST_CASE("The passes of the pipeline are named and leave every kernel valid") {
    std::vector<std::string_view> names;
    for (const jit::pass& p : jit::passes()) names.push_back(p.name);
    CHECK(names ==
          std::vector<std::string_view>{"forward_stores", "fold_constants", "unroll_constant_loops", "forward_stores",
                                        "fold_constants", "split_private_arrays", "forward_stores", "fold_constants",
                                        "merge_common_values", "hoist_loop_invariants", "remove_dead_code"});
    for (ir::module m : tests::all_kernels()) {
        for (const jit::pass& p : jit::passes()) {
            p.run(m);
            CHECK_NOTHROW(ir::validate(m));
        }
    }
}

TEST_CASE("100 000 operations are validated and optimised") {
    maker k("long");
    const auto u32 = k.scalar(scalar_kind::u32);
    const auto y = k.buffer("y", ir::access::read_write, u32);
    const auto i = k.op(op::global_id, {}, 0);
    const auto t = k.local("t", i);
    for (int n = 0; n < 12'500; ++n) {
        const auto once = k.local("once", k.op(op::add, {k.get(t), k.u32(static_cast<std::uint32_t>(n))}));
        k.if_(k.op(op::lt, {k.get(once), i}), [&] { k.set(t, k.op(op::mul, {k.get(once), k.op(op::add, {i, i})})); });
    }
    k.store(y, i, k.get(t));
    ir::module m = k.finish();
    CHECK(m.values.size() == 100'002);
    ir::validate(m);
    jit::optimise(m);  // a walk that is not linear, or that recurses along the block, does not come to an end here
    CHECK_NOTHROW(ir::validate(m));
}
