// What a kernel's hash depends on: its meaning, and nothing else. That two processes and two compilers agree is what
// tests/hash checks.
#include <catch2/catch.hpp>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

const auto model = [](inout<float> y, in<float> x, val<float> a) {
    val i = global_id();
    if_(x[i] > 0.f, [&] { y[i] = a * x[i] + y[i]; });
    y[i] += 1;
};

/// The model with `scale` captured.
ir::hash128 hash_with_capture(float scale) {
    return hash_of([=](inout<float> y) { y[0] *= scale; });
}

}  // namespace

TEST_CASE("the same kernel traced twice has one hash") { CHECK(hash_of(model) == hash_of(model)); }

TEST_CASE("renamed variables and moved lines keep the hash") {
    const ir::hash128 renamed = hash_of([](inout<float> out_values, in<float> in_values, val<float> factor) {

        val position = global_id();

        if_(in_values[position] > 0.f,
            [&] { out_values[position] = factor * in_values[position] + out_values[position]; });
        out_values[position] += 1;
    });
    CHECK(renamed == hash_of(model));
}

TEST_CASE("names that a sub-expression has or lacks keep the hash") {
    const ir::hash128 named = hash_of([](inout<float> y, in<float> x, val<float> a) {
        val i = global_id();
        val positive = x[i] > 0.f;
        if_(positive, [&] {
            val product = a * x[i];
            val sum = product + y[i];
            y[i] = sum;
        });
        y[i] += 1;
    });
    CHECK(named == hash_of(model));
}

TEST_CASE("the kernel's own name keeps the hash") {
    ir::module m = module_of(model);
    const ir::hash128 before = ir::hash(m);
    m.name = "another";
    CHECK(ir::hash(m) == before);
}

TEST_CASE("values and loads that nothing uses keep the hash") {
    const ir::hash128 with_dead = hash_of([](inout<float> y, in<float> x, val<float> a) {
        val i = global_id();
        val dead = y[i + 7] * 3;
        auto also_dead = dead + x[0];
        (void)also_dead;
        if_(x[i] > 0.f, [&] { y[i] = a * x[i] + y[i]; });
        y[i] += 1;
    });
    CHECK(with_dead == hash_of(model));
}

TEST_CASE("the order in which operands were captured keeps the hash") {
    const auto forwards = hash_of([](inout<float> y, in<float> x) {
        val a = x[0];
        val b = x[1];
        y[0] = a * 2 + b * 3;
    });
    const auto backwards = hash_of([](inout<float> y, in<float> x) {
        val b = x[1];
        val a = x[0];
        y[0] = a * 2 + b * 3;
    });
    CHECK(forwards == backwards);
}

TEST_CASE("whatever changes the kernel's meaning changes the hash") {
    const auto base = hash_of([](inout<float> y, val<float> a) { y[0] = y[1] + a * 2; });
    CHECK(base != hash_of([](inout<float> y, val<float> a) { y[0] = y[1] + a * 3; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { y[0] = y[1] - a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { y[0] = a * 2 - y[1]; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { y[0] = y[2] + a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { y[1] = y[1] + a * 2; }));
    CHECK(base != hash_of([](inout<double> y, val<double> a) { y[0] = y[1] + a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<double> a) { y[0] = y[1] + cast<float>(a * 2); }));
    CHECK(base != hash_of([](aliased<inout<float>> y, val<float> a) { y[0] = y[1] + a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a, val<float>) { y[0] = y[1] + a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { math_mode(math::precise); y[0] = y[1] + a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { workgroup_size(64); y[0] = y[1] + a * 2; }));
    CHECK(base != hash_of([](inout<float> y, val<float> a) { y[0] = y[1] + a * 2; y[2] = 1; }));
}

TEST_CASE("the order of operands changes the hash") {
    CHECK(hash_of([](inout<float> y) { y[0] = y[1] - y[2]; }) != hash_of([](inout<float> y) { y[0] = y[2] - y[1]; }));
    CHECK(hash_of([](inout<float3> y) { y[0] = y[0].xyz(); }) != hash_of([](inout<float3> y) { y[0] = y[0].zyx(); }));
}

TEST_CASE("the order of statements changes the hash") {
    CHECK(hash_of([](inout<float> y) { y[0] = 1; y[1] = 2; }) != hash_of([](inout<float> y) { y[1] = 2; y[0] = 1; }));
    const auto before = hash_of([](inout<float> y) {
        val v = y[0];
        y[0] = 1;
        y[1] = v;
    });
    const auto after = hash_of([](inout<float> y) {
        y[0] = 1;
        val v = y[0];
        y[1] = v;
    });
    CHECK(before != after);
}

TEST_CASE("a captured host value is part of the hash") {
    CHECK(hash_with_capture(2.f) == hash_with_capture(2.f));
    CHECK(hash_with_capture(2.f) != hash_with_capture(3.f));
    CHECK(hash_with_capture(0.f) != hash_with_capture(-0.f));
}

TEST_CASE("the bound, the step and the kind of a loop are part of the hash") {
    const auto loop = [](auto last, auto step) {
        return hash_of([=](inout<float> y) { for_(range(0, last, step), [&](val<int> i) { y[i] = 1; }); });
    };
    CHECK(loop(4, 1) == loop(4, 1));
    CHECK(loop(4, 1) != loop(5, 1));
    CHECK(loop(4, 1) != loop(4, 2));
    CHECK(hash_of([](inout<float> y) { if_(y[0] > 0.f, [&] { y[1] = 1; }); }) !=
          hash_of([](inout<float> y) { if_(y[0] > 0.f, [] {}).else_([&] { y[1] = 1; }); }));
}

TEST_CASE("canonical bytes read back to the same kernel") {
    const ir::module m = module_of(model);
    const std::vector<std::byte> bytes = ir::to_bytes(m);
    CHECK(ir::to_bytes(ir::from_bytes(bytes)) == bytes);
    CHECK(ir::hash(ir::canonicalise(m)) == ir::hash(m));
}
