#include <catch2/catch.hpp>

#include <quern/error.hpp>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>

#include "backends/registry.hpp"
#include "dsl/ir/builder.hpp"
#include "dsl/ir/validator.hpp"
#include "tests/fuzz/experiment.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/isolate.hpp"
#include "tests/fuzz/kernel_edits.hpp"
#include "tests/fuzz/random_stream.hpp"
#include "tests/fuzz/shrinker.hpp"
#include "tests/fuzz/statistics.hpp"
#include "tests/skip.hpp"

using namespace quern::fuzz;
namespace ir = quern::ir;

namespace {

constexpr std::uint64_t first_seed = 1'000'000;

/// Runs seeds one after another and reports each that fails, with the command that shrinks and saves it.
void expect_agreement(experiment& e, std::uint64_t count) {
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        const std::optional<failure> f = e.run(generate(seed));
        INFO("quern-fuzz --seed " << seed << " --count 1 --save tests/regressions");
        INFO((f ? f->step + ": " + f->message : std::string()));
        CHECK(!f);
    }
}

std::size_t statement_count(const ir::module& m) {
    std::size_t count = 0;
    for (const ir::block_id b : examine(m).blocks) count += m[b].statements.size();
    return count;
}

/// The first value of this op that is defined in a reached block.
std::optional<ir::value_id> find_value(const ir::module& m, ir::op code) {
    for (const ir::block_id b : examine(m).blocks)
        for (const ir::statement& s : m[b].statements)
            if (const auto* d = std::get_if<ir::define>(&s); d != nullptr && m[d->value].op == code) return d->value;
    return std::nullopt;
}

std::vector<std::byte> bytes_of(std::initializer_list<float> numbers) {
    std::vector<std::byte> result(numbers.size() * sizeof(float));
    std::memcpy(result.data(), std::data(numbers), result.size());
    return result;
}

}  // namespace

TEST_CASE("the random stream is xoshiro256** seeded through splitmix64", "[fuzz]") {
    // From the authors' algorithms, written down in Python.
    random_stream random(1);
    CHECK(random.next() == 0xb3f2'af6d'0fc7'10c5u);
    CHECK(random.next() == 0x853b'5596'4736'4ceau);
    CHECK(random.next() == 0x92f8'9756'082a'4514u);
    CHECK(random.next() == 0x642e'1c7b'c266'a3a7u);
}

TEST_CASE("small numbers and powers of two have the bits of their format", "[fuzz]") {
    using ir::scalar_kind;
    CHECK(float_bits(scalar_kind::f32, 1) == 0x3f80'0000u);
    CHECK(float_bits(scalar_kind::f32, 5, -1, true) == 0xc020'0000u);  // -2.5
    CHECK(float_bits(scalar_kind::f64, 3) == 0x4008'0000'0000'0000u);
    CHECK(float_bits(scalar_kind::f16, 1) == 0x3c00u);
    CHECK(float_bits(scalar_kind::bf16, 7) == 0x40e0u);
    CHECK(float_bits(scalar_kind::f32, 0, 0, true) == 0x8000'0000u);
}

TEST_CASE("a seed means one kernel", "[fuzz]") {
    CHECK(to_text(generate(7)) == to_text(generate(7)));
    CHECK(to_text(generate(7)) != to_text(generate(8)));
}

TEST_CASE("a trial reads back from its text", "[fuzz]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::string text = to_text(generate(seed));
        CHECK(to_text(parse_trial(text, "trial.qir")) == text);
    }
    const std::string text = to_text(generate(3));
    const std::string spoilt = "# x\n# extents 1" + text.substr(text.find('\n', text.find("# extent")));
    CHECK_THROWS_WITH(parse_trial(spoilt, "trial.qir"), Catch::Contains("trial.qir") && Catch::Contains("extents 1"));
}

TEST_CASE("2000 generated kernels are valid and hit every op x type cell", "[fuzz]") {
    statistics counts;
    for (std::uint64_t seed = first_seed; seed < first_seed + 2000; ++seed) {
        const trial t = generate(seed);
        counts.count(t);
        INFO("seed " << seed);
        REQUIRE_NOTHROW(ir::validate(t.kernel));
    }
    INFO(counts.report(default_kinds()));
    CHECK(counts.mean_statements() >= 50);
    CHECK(counts.percent_nested(4) >= 30);
    CHECK(counts.percent_with_barriers() >= 30);
    CHECK(counts.missed(default_kinds()).empty());
}

TEST_CASE("text, canonical form, bytes and passes keep the meaning of random kernels", "[fuzz]") {
    experiment e({.lanes = {8}, .devices = {}});
    expect_agreement(e, 150);
}

TEST_CASE("random kernels give the same bits on Vulkan as in the reference", "[fuzz][vulkan]") {
    for (const std::string name : {"vulkan:0", "vulkan:0+descriptors"}) {
        std::string reason;
        quern::backends::backend* const b = quern::backends::find("vulkan");
        if (b->enumerate(reason).empty()) return quern::tests::skip(reason);
        const std::uint32_t lanes = b->open(name, {})->target().info.subgroup_size;
        experiment e({.lanes = {lanes}, .devices = {name}});
        expect_agreement(e, 40);
    }
}

TEST_CASE("random kernels give the same bits on the CPU at 4, 8 and 16 lanes as in the reference", "[fuzz][cpu]") {
    std::string reason = "no such backend";
    quern::backends::backend* cpu = quern::backends::find("cpu");
    if (cpu == nullptr || cpu->enumerate(reason).empty()) return quern::tests::skip("the CPU device is absent: " + reason);
    experiment e({.lanes = {4, 8, 16}, .devices = {"cpu"}});
    expect_agreement(e, 60);
}

TEST_CASE("a kernel that computes something else is noticed", "[fuzz]") {
    std::size_t changed = 0, noticed = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const trial t = generate(seed);
        ir::module wrong = t.kernel;
        const auto v = find_value(wrong, ir::op::bit_xor);
        if (!v) continue;
        wrong[*v].op = ir::op::bit_or;
        ++changed;
        noticed += find_difference(t.kernel, run_reference(t, t.kernel, 8), run_reference(t, wrong, 8)) ? 1 : 0;
    }
    INFO(noticed << " of " << changed << " noticed");
    CHECK(changed >= 10);
    CHECK(4 * noticed >= changed);  // some stand where nobody gets to, or meet values for which both agree
}

TEST_CASE("a difference of one bit counts, of NaNs not, of an inexact function within its bound not", "[fuzz]") {
    ir::module m;
    ir::builder b(m);
    const ir::type_id f32 = ir::intern_scalar(m, ir::scalar_kind::f32);
    const auto exact = b.add_parameter({ir::parameter_kind::buffer, ir::access::write, false, f32});
    const auto bounded = b.add_parameter({ir::parameter_kind::buffer, ir::access::write, false, f32});
    b.begin_block();
    const ir::value_id zero = b.constant(ir::scalar_kind::u32, 0), x = b.constant(ir::scalar_kind::f32, 0x3f80'0000u);
    const std::array index{ir::step{ir::step::kind::index, zero, 0}};
    const ir::value_id sine = b.define(ir::op::sin, {x});
    b.append(ir::store{b.add_place(ir::root_kind::parameter, exact.number, index), x});
    b.append(ir::store{b.add_place(ir::root_kind::parameter, bounded.number, index), sine});
    m.body = b.end_block();

    const float next = std::nextafter(1.f, 2.f), nan = std::nanf("1"), other_nan = -std::nanf("2");
    CHECK(!find_difference(m, {bytes_of({1, nan}), bytes_of({1})}, {bytes_of({1, other_nan}), bytes_of({next})}));
    CHECK(find_difference(m, {bytes_of({2, 1}), bytes_of({1})}, {bytes_of({2, next}), bytes_of({1})}) ==
          "parameter 0 element 1: expected 0x3f800000, found 0x3f800001");
    CHECK(find_difference(m, {bytes_of({0.f}), bytes_of({1})}, {bytes_of({-0.f}), bytes_of({1})}).has_value());
    CHECK(find_difference(m, {bytes_of({1}), bytes_of({1})}, {bytes_of({1}), bytes_of({1.001f})}).has_value());
    CHECK(find_difference(m, {bytes_of({1}), bytes_of({1})}, {bytes_of({1}), bytes_of({nan})}).has_value());
}

TEST_CASE("the shrinker keeps what makes a kernel fail and little else", "[fuzz]") {
    std::size_t tried = 0;
    for (std::uint64_t seed = 0; seed < 200 && tried < 3; ++seed) {
        trial t = generate(seed);
        // Pretend that some device computes this op wrongly.
        const auto fails = [](const trial& candidate) {
            try {
                ir::validate(candidate.kernel);
                ir::module wrong = candidate.kernel;
                const auto v = find_value(wrong, ir::op::bit_xor);
                if (!v) return false;
                wrong[*v].op = ir::op::bit_and;
                return find_difference(candidate.kernel, run_reference(candidate, candidate.kernel, 8),
                                       run_reference(candidate, wrong, 8)).has_value();
            } catch (const quern::error&) {
                return false;
            }
        };
        if (!fails(t)) continue;
        ++tried;
        const std::size_t before = statement_count(t.kernel);
        const trial small = shrink(std::move(t), fails);
        INFO("seed " << seed << ": from " << before << " statements\n" << to_text(small));
        CHECK(fails(small));
        CHECK(statement_count(small.kernel) <= 30);
        CHECK(fails(parse_trial(to_text(small), "small.qir")));
    }
    CHECK(tried == 3);
}

TEST_CASE("a child that crashes or runs too long is a result", "[fuzz]") {
    const isolated fine = run_isolated(10, [] { return std::string("all\nwell"); });
    CHECK(fine.finished);
    CHECK(fine.text == "all well");
    CHECK(run_isolated(10, []() -> std::string { std::raise(SIGKILL); return ""; }).text == "signal 9: Killed");
    CHECK(run_isolated(1, []() -> std::string { for (;;) std::raise(SIGCONT); }).text == "signal 14: Alarm clock");
}
