// Canonical form, bytes and hash: what they ignore, what they keep, and what they survive.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include <chrono>

#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "tests/unit/random_kernel.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;
using tests::maker;

namespace {

ir::hash128 identity(const ir::module& m) { return ir::hash(ir::canonicalise(m)); }

std::string canonical_text(const ir::module& m) { return ir::print(ir::canonicalise(m)); }

/// y[i] = x[i] * 2 + x[i + 1] * 3, the factors recorded in either order
ir::module blend(bool left_first, std::uint32_t second_factor = 3) {
    maker k("blend");
    const auto f32 = k.scalar(scalar_kind::f32);
    const auto y = k.buffer("y", ir::access::write, f32);
    const auto x = k.buffer("x", ir::access::read, f32);
    const auto i = k.op(op::global_id, {}, 0);
    ir::value_id left, right;
    const auto make_left = [&] { left = k.op(op::mul, {k.load(x, i), k.f32(2)}); };
    const auto make_right = [&] {
        const auto factor = k.f32(static_cast<float>(second_factor));
        right = k.op(op::mul, {k.load(x, k.op(op::add, {i, k.u32(1)})), factor});
    };
    if (left_first)
        make_left(), make_right();
    else
        make_right(), make_left();
    k.store(y, i, k.op(op::add, {left, right}));
    return k.finish();
}

}  // namespace

TEST_CASE("The order in which operands were recorded does not matter") {
    CHECK(ir::to_bytes(ir::canonicalise(blend(true))) == ir::to_bytes(ir::canonicalise(blend(false))));
    CHECK(identity(blend(true)) != identity(blend(true, 4)));
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const ir::module m = tests::random_kernel(seed).make(40);
        const ir::module other = tests::reorder(m, seed + 1);
        REQUIRE_NOTHROW(ir::validate(other));
        INFO(seed);
        CHECK(ir::to_bytes(ir::canonicalise(other)) == ir::to_bytes(ir::canonicalise(m)));
    }
    for (const ir::module& m : tests::all_kernels())
        for (std::uint64_t seed = 0; seed < 20; ++seed) CHECK(identity(tests::reorder(m, seed)) == identity(m));
}

TEST_CASE("Canonical modules are valid and stay as they are") {
    const auto check = [](const ir::module& m) {
        const ir::module once = ir::canonicalise(m);
        CHECK_NOTHROW(ir::validate(once));
        CHECK(ir::to_bytes(ir::canonicalise(once), ir::side_tables::include) ==
              ir::to_bytes(once, ir::side_tables::include));
    };
    for (const ir::module& m : tests::all_kernels()) check(m);
    for (std::uint64_t seed = 0; seed < 300; ++seed) check(tests::random_kernel(seed).make(40));
}

TEST_CASE("Names, lines and the kernel's name are not part of the identity") {
    ir::module m = tests::nested();
    m.name = "other";
    m.files = {"elsewhere.cpp"};
    for (ir::location& l : m.locations) l.line += 100;
    for (std::string& n : m.value_names) n = "renamed";
    m.variable_names.clear();
    m.parameter_names.clear();
    CHECK(identity(m) == identity(tests::nested()));
    ir::module p = tests::particles();
    for (ir::member& inner : p.members) inner.name = "renamed";
    CHECK(identity(p) == identity(tests::particles()));
}

TEST_CASE("Everything that a kernel means is part of the identity") {
    const ir::hash128 base = identity(tests::nested());
    const auto changed = [&](auto change) {
        ir::module m = tests::nested();
        change(m);
        CHECK(identity(m) != base);
    };
    changed([](ir::module& m) { m.math = ir::math_mode::precise; });
    changed([](ir::module& m) { m.workgroup_size = {8, 8, 1}; });
    changed([](ir::module& m) { m.launch = ir::launch_kind::groups; });
    changed([](ir::module& m) { m.cooperative = true; });
    changed([](ir::module& m) { m.parameters[0].aliased = true; });
    changed([](ir::module& m) {
        for (ir::value& v : m.values)
            if (v.op == op::neg) v.op = op::abs;
    });
    changed([](ir::module& m) {
        for (ir::value& v : m.values)
            if (v.op == op::constant && v.immediate == 2) v.immediate = 3;
    });
    changed([](ir::module& m) {
        for (ir::value& v : m.values)
            if (v.op == op::global_id && v.immediate == 1) v.immediate = 2;
    });

    const auto stores = [](std::uint32_t first, std::uint32_t second) {
        maker k("stores");
        const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
        k.store(y, k.u32(0), k.u32(first));
        k.store(y, k.u32(0), k.u32(second));
        return k.finish();
    };
    CHECK(identity(stores(1, 2)) != identity(stores(2, 1)));
}

TEST_CASE("Loads stay between the effects that they stood between") {
    const auto swap = [](bool load_late) {
        maker k("swap");
        const auto y = k.buffer("y", ir::access::read_write, k.scalar(scalar_kind::u32));
        const auto zero = k.u32(0), one = k.u32(1);
        const auto a = k.load(y, zero);
        ir::value_id b;
        if (!load_late) b = k.load(y, one);
        k.store(y, one, a);
        if (load_late) b = k.load(y, one);
        k.store(y, zero, b);
        return k.finish();
    };
    CHECK(canonical_text(swap(false)).find("  %v0 = load %y[0u32] : u32\n  %v1 = load %y[1u32] : u32\n  store") !=
          std::string::npos);
    CHECK(canonical_text(swap(true)).find("  store %y[1u32], %v0\n  %v1 = load %y[1u32] : u32\n") != std::string::npos);
    CHECK(identity(swap(false)) != identity(swap(true)));
}

TEST_CASE("What no effect needs is gone") {
    maker k("dead");
    const auto u32 = k.scalar(scalar_kind::u32);
    const auto y = k.buffer("y", ir::access::read_write, u32);
    k.shared("unused", ir::intern_array(k.m, u32, 64));
    const auto i = k.op(op::global_id, {}, 0);
    const auto dead = k.op(op::mul, {k.load(y, i), k.u32(7)});
    const auto counter = k.local("counter", dead);  // only ever read to be stored again
    k.for_(k.u32(0), dead, k.u32(1), [&](ir::value_id n) { k.set(counter, k.op(op::add, {k.get(counter), n})); });
    k.if_(k.op(op::lt, {i, k.u32(3)}), [&] { k.set(counter, k.u32(0)); }, [&] { k.op(op::neg, {dead}); });
    k.store(y, i, k.u32(1));
    k.if_(k.op(op::lt, {i, k.u32(9)}), [&] {
        k.put(ir::return_statement{});
        k.store(y, i, k.u32(2));
    });
    CHECK(canonical_text(k.finish()) == R"(kernel "dead" over math contract {
  buffer inout %y: u32

  %v0 = global_id.x : u32
  store %y[%v0], 1u32
  %v1 = lt %v0, 9u32 : bool
  if %v1 {
    return
  }
}
)");
}

TEST_CASE("A loop that may not end and everything it depends on is kept") {
    maker k("wait");
    const auto y = k.buffer("y", ir::access::read, k.scalar(scalar_kind::u32));
    const auto t = k.local("t", k.u32(0));
    k.while_([&] { return k.op(op::lt, {k.get(t), k.load(y, k.u32(0))}); },
             [&] { k.set(t, k.op(op::add, {k.get(t), k.u32(1)})); });
    CHECK(canonical_text(k.finish()) == R"(kernel "wait" over math contract {
  buffer in %y: u32

  declare %t: u32
  store %t, 0u32
  while {
    %v0 = load %t : u32
    %v1 = load %y[0u32] : u32
    %v2 = lt %v0, %v1 : bool
  } %v2 {
    %v3 = load %t : u32
    %v4 = add %v3, 1u32 : u32
    store %t, %v4
  }
}
)");
}

TEST_CASE("Atomics, subgroup operations, uniform loads and promises are effects although nobody reads their results") {
    const std::string text = canonical_text(tests::histogram());
    CHECK(text.find("atomic_add") != std::string::npos);
    CHECK(text.find("atomic_store") != std::string::npos);
    CHECK(canonical_text(tests::nested()).find("  %v2 = ne %n, 0u32 : bool\n  assume %v2\n") != std::string::npos);
    maker k("sync", 8);
    const auto tile = k.shared("tile", k.scalar(scalar_kind::u32));
    k.op(op::uniform_load, {}, k.in_variable(tile).number);
    k.op(op::subgroup_add, {k.u32(1)});
    const std::string kept = canonical_text(k.finish());
    CHECK(kept.find("uniform_load") != std::string::npos);
    CHECK(kept.find("subgroup_add") != std::string::npos);
}

TEST_CASE("Bytes hold the whole module") {
    const auto check = [](const ir::module& m) {
        const ir::module c = ir::canonicalise(m);
        const auto named = ir::to_bytes(c, ir::side_tables::include);
        const ir::module back = ir::from_bytes(named);
        CHECK(ir::print(back) == ir::print(c));
        CHECK(ir::to_bytes(back, ir::side_tables::include) == named);
        CHECK(back.locations.size() == c.locations.size());
        const auto bare = ir::to_bytes(c);
        CHECK(ir::to_bytes(ir::from_bytes(bare)) == bare);
        CHECK(ir::hash(ir::from_bytes(bare)) == ir::hash(c));
    };
    for (const ir::module& m : tests::all_kernels()) check(m);
    for (std::uint64_t seed = 0; seed < 50; ++seed) check(tests::random_kernel(seed).make(30));
}

TEST_CASE("Bytes that were damaged are refused or are another sound kernel, never a crash") {
    tests::random_source random(3);
    std::size_t refused = 0;
    for (const ir::module& m : tests::all_kernels()) {
        const ir::module c = ir::canonicalise(m);
        for (const auto tables : {ir::side_tables::omit, ir::side_tables::include}) {
            const auto bytes = ir::to_bytes(c, tables);
            for (std::size_t size = 0; size < bytes.size(); ++size)
                CHECK_THROWS_AS(ir::from_bytes(std::span(bytes).first(size)), usage_error);
            auto longer = bytes;
            longer.push_back(std::byte{0});
            CHECK_THROWS_AS(ir::from_bytes(longer), usage_error);
            for (std::size_t at = 0; at < bytes.size(); ++at)
                for (int i = 0; i < 12; ++i) {
                    auto damaged = bytes;
                    damaged[at] ^= static_cast<std::byte>(i < 8 ? 1u << i : 1 + random.below(255));
                    try {
                        const ir::module read = ir::from_bytes(damaged);
                        ir::print(ir::canonicalise(read));
                        CHECK(ir::to_bytes(read, tables) == damaged);
                    } catch (const usage_error&) {
                        ++refused;
                    }
                }
        }
    }
    CHECK(refused > 10'000);
}

TEST_CASE("The canonical form of 100 000 operations takes well under a second") {
    maker k("long");
    const auto y = k.buffer("y", ir::access::read_write, k.scalar(scalar_kind::u32));
    const auto i = k.op(op::global_id, {}, 0);
    ir::value_id v = k.load(y, i);
    for (int n = 0; n < 50'000; ++n) v = k.op(op::add, {k.op(op::mul, {v, i}), v});
    k.store(y, i, v);
    const ir::module m = k.finish();
    const auto start = std::chrono::steady_clock::now();
    const ir::module c = ir::canonicalise(m);
    ir::validate(c);
    const auto hash = ir::hash(c);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    CHECK(hash == identity(c));
    CHECK(c.values.size() == 100'002);
    CHECK(took.count() < 2.0);  // 0.05 s when optimised: only a walk that is not linear takes longer
}
