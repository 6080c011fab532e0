// The user's mistakes that only tracing can see: each is a usage_error about the user's own line.
#include <catch2/catch.hpp>

#include <memory>
#include <optional>

#include <quern/error.hpp>
#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

unsigned line = 0;  ///< of the mistake, noted by the body beside it

/// "dsl_errors_test.cpp:LINE: " of the mistake.
std::string here() { return __FILE__ ":" + std::to_string(line) + ": "; }

/// The message with which tracing `f` fails.
template <class F>
std::string trace_error(const F& f) {
    return message_of<usage_error>([&] { module_of(f); });
}

/// Tracing `f` fails with a message about the line of the mistake that begins with `text`. A function, since compilers
/// do not agree about lines inside a macro's arguments.
template <class F>
void check_error(const F& f, const char* text) {
    const std::string message = trace_error(f);
    INFO("\"" << message << "\" at line " << line);
    CHECK(message.starts_with(here() + text));
}

constexpr const char* unfit = "the host value ";
constexpr const char* out_of_block = "this value is used outside the block that defined it";

}  // namespace

TEST_CASE("a host integer that its type cannot hold is an error where it is used") {
    check_error([](inout<std::uint8_t> y) { line = __LINE__; y[0] = 300; }, unfit);
    check_error([](inout<std::uint8_t> y) { line = __LINE__; y[0] = y[1] + 300; }, unfit);
    check_error([](inout<std::int8_t> y) { line = __LINE__; y[0] = 128; }, unfit);
    check_error([](inout<uint> y) { line = __LINE__; y[0] = y[1] - -1; }, unfit);
    check_error([](inout<int> y) { line = __LINE__; y[0] = 0x8000'0000u; }, unfit);
    check_error([](inout<std::int64_t> y) { line = __LINE__; y[0] = 0x8000'0000'0000'0000u; }, unfit);
    check_error([](inout<uint> y) { line = __LINE__; y[0] = 0x1'0000'0000; }, unfit);
    check_error([](inout<float> y) { line = __LINE__; y[0] = y[0] * ((1 << 24) + 1); }, unfit);
    check_error([](inout<float> y) { line = __LINE__; y[0] = 0x7fff'ffff; }, unfit);
    check_error([](inout<double> y) { line = __LINE__; y[0] = (1ll << 53) + 1; }, unfit);
    check_error([](inout<float3> y) { line = __LINE__; y[0] = y[1] + ((1 << 24) + 1); }, unfit);
    check_error([](inout<int3> y) { line = __LINE__; y[0] = vec<long, 3>{1, 2, 1l << 40}; }, unfit);
}

TEST_CASE("a host integer that its type holds is exact") {
    CHECK(trace_error([](inout<std::uint8_t> y) { y[0] = 255; }).empty());
    CHECK(trace_error([](inout<std::int8_t> y) { y[0] = -128; }).empty());
    CHECK(trace_error([](inout<uint> y) { y[0] = 0xffff'ffffll; }).empty());
    CHECK(trace_error([](inout<std::uint64_t> y) { y[0] = 0x8000'0000'0000'0000u; }).empty());
    CHECK(trace_error([](inout<std::int64_t> y) { y[0] = -0x7fff'ffff'ffff'ffff - 1; }).empty());
    CHECK(trace_error([](inout<float> y) { y[0] = 1 << 24; }).empty());
    CHECK(trace_error([](inout<float> y) { y[0] = -0x7fff'ffff - 1; }).empty());
    CHECK(trace_error([](inout<double> y) { y[0] = 0x7fff'ffff; }).empty());
    CHECK(trace_error([](inout<float> y) { y[0] = 0.1; }).empty());
}

TEST_CASE("a mistake in an expression that nothing uses is none") {
    CHECK(trace_error([](inout<std::uint8_t> y) {
              auto e = y[0] + 300;
              (void)e;
          }).empty());
}

TEST_CASE("a mistake in a condition, a bound or an argument is reported at its statement") {
    check_error([](inout<std::uint8_t> y) { line = __LINE__; if_(y[0] > 300, [&] { y[0] = 1; }); }, unfit);
    check_error([](in<std::uint8_t> y) { line = __LINE__; for_(range(y[0], 300), [&](auto) {}); }, unfit);
    check_error([](inout<uint> y) { line = __LINE__; atomic_add(y[0], -1); }, unfit);
    check_error([](inout<float> y) { line = __LINE__; y[-1] = 1.f; }, unfit);
    check_error([](in<uint> y) { line = __LINE__; val v = y[0] + -1; (void)v; }, unfit);
    check_error([](in<uint> y) { line = __LINE__; var v = y[0] + -1; (void)v; }, unfit);
}

TEST_CASE("a value outside the block that defined it is an error where it is used") {
    check_error([](inout<float> y, val<float> a) {
        std::optional<val<float>> kept;
        if_(a > 1.f, [&] { kept.emplace(a * 2); });
        line = __LINE__; y[0] = *kept + 1;
    }, out_of_block);
    check_error([](inout<uint> y) {
        std::optional<val<uint>> kept;
        for_(range(0u, 4), [&](val<uint> i) { kept.emplace(i); });
        line = __LINE__; y[0] = *kept;
    }, out_of_block);
    check_error([](inout<float> y, val<float> a) {
        std::optional<val<float>> kept;
        if_(a > 1.f, [&] { kept.emplace(y[3]); }).else_([&] {
            line = __LINE__; y[0] = *kept;
        });
    }, out_of_block);
}

TEST_CASE("a var outside the block that declared it is an error where it is used") {
    check_error([](inout<float> y, val<float> a) {
        std::unique_ptr<var<float>> kept;
        if_(a > 1.f, [&] { kept = std::make_unique<var<float>>(a); });
        line = __LINE__; *kept = a;
        y[0] = a;
    }, "this variable or place is used outside the block that declared it");
}

TEST_CASE("a value of another trace is an error where it is used") {
    std::optional<val<float>> kept;
    module_of([&](inout<float> y, val<float> a) {
        kept.emplace(a * 2);
        y[0] = *kept;
    });
    check_error([&](inout<float> y) { line = __LINE__; y[0] = *kept; },
                "this value belongs to another trace");
}

TEST_CASE("a place of another trace is an error where it is used") {
    std::unique_ptr<var<float>> kept;
    module_of([&](inout<float> y) {
        kept = std::make_unique<var<float>>(2.f);
        y[0] = *kept;
    });
    check_error([&](inout<float>) { line = __LINE__; *kept = 1; }, "this place belongs to another trace");
}

TEST_CASE("a mistake's message names the kernel") {
    CHECK(trace_error([](inout<float>) { break_(); }).ends_with("(in kernel \"tested\")"));
}

TEST_CASE("tracing inside a trace is an error that names the inner kernel") {
    const std::string message = trace_error([](inout<float> y) {
        y[0] = 1;
        module_of([](inout<float> z) { z[0] = 2; });
    });
    CHECK(message.find("dsl_errors_test.cpp:") != std::string::npos);
    CHECK(message.find("kernel \"tested\" is traced inside another trace") != std::string::npos);
    CHECK_FALSE(trace::in_progress());
}

TEST_CASE("break_ and continue_ belong inside loops") {
    check_error([](inout<float>) { line = __LINE__; break_(); }, "break_ and continue_ belong inside");
    check_error([](val<float> a) { line = __LINE__; if_(a > 0.f, [] { continue_(); }); },
                "break_ and continue_ belong inside");
    check_error([](val<float> a) { line = __LINE__; while_([&] { break_(); return a > 0.f; }, [] {}); },
                "break_ and continue_ belong inside");
}

TEST_CASE("an if_ that was kept in a variable is noticed") {
    check_error([](inout<float> y) {
        line = __LINE__; auto c = if_(y[0] > 0.f, [&] { y[1] = 1; });
        y[2] = 2;
    }, "this if_ was kept in a variable");
}

TEST_CASE("DSL calls outside a kernel are errors at their line") {
    const auto error = [](const auto& f) { return message_of<usage_error>(f); };
    const auto outside = [](const std::string& message, const char* text = "this belongs inside a kernel") {
        UNSCOPED_INFO("\"" << message << "\" at line " << line);
        return message.starts_with(here() + text);
    };
    CHECK(outside(error([] { line = __LINE__; [[maybe_unused]] var v = 1.f; })));
    CHECK(outside(error([] { line = __LINE__; [[maybe_unused]] val i = global_id(); })));
    CHECK(outside(error([] { line = __LINE__; barrier(); })));
    CHECK(outside(error([] { line = __LINE__; fence(scope::device); })));
    CHECK(outside(error([] { line = __LINE__; return_(); })));
    CHECK(outside(error([] { line = __LINE__; shared<float> t(4); })));
    CHECK(outside(error([] { line = __LINE__; local_array<float> t(4); })));
    CHECK(outside(error([] { line = __LINE__; workgroup_size(64); })));
    CHECK(outside(error([] { line = __LINE__; math_mode(math::fast); })));
    CHECK(outside(error([] { line = __LINE__; (void)tune("t", {1, 2}); })));
    CHECK(outside(error([] { line = __LINE__; (void)target(); })));
    CHECK(outside(error([] { line = __LINE__; val a = 1.f; [[maybe_unused]] val b = a + 2.f; })));
    CHECK(outside(error([] { val a = 1.f; line = __LINE__; if_(a > 0.f, [] {}); })));
    CHECK(outside(error([] { line = __LINE__; for_(range(0, 4), [](auto) {}); })));
    CHECK(outside(error([] { line = __LINE__; while_([] { return val<bool>(true); }, [] {}); })));
    CHECK(outside(error([] { line = __LINE__; val a = 1.f; [[maybe_unused]] val s = subgroup_add(a); })));
    CHECK(outside(error([] { line = __LINE__; [[maybe_unused]] val<std::uint8_t> a = 300; }), unfit));
}

TEST_CASE("a trace that failed leaves nothing behind") {
    CHECK_FALSE(trace_error([](inout<std::uint8_t> y) { if_(y[0] > 3, [&] { y[0] = 300; }); }).empty());
    CHECK_FALSE(trace::in_progress());
    CHECK(statements([](inout<float> y) { y[0] = 1; }) == "store %p0[0u32], 1.0f32\n");
    CHECK_THROWS_AS(module_of([](inout<float> y) {
                        for_(range(0u, 4), [&](val<uint> i) {
                            y[i] = 1;
                            if (i.traced_node().trace != 0) throw std::runtime_error("the user's own");
                        });
                    }), std::runtime_error);
    CHECK_FALSE(trace::in_progress());
}

TEST_CASE("a barrier in divergent control is an error at the barrier") {
    check_error([](inout<float> y) {
        workgroup_size(64);
        val i = local_id();
        if_(i > 3, [&] {
            line = __LINE__; barrier();
        });
        y[i] = 1;
    }, "");
    CHECK(trace_error([](inout<float> y, val<uint> n) {
              workgroup_size(64);
              if_(n > 3, [&] { barrier(); });
              y[0] = 1;
          }).empty());
}

TEST_CASE("a subgroup operation in divergent control is an error at its line") {
    check_error([](inout<uint> y) {
        workgroup_size(64);
        val i = local_id();
        if_(i > 3, [&] {
            line = __LINE__; y[i] = subgroup_add(i);
        });
    }, "");
}

TEST_CASE("contradictions about the kernel itself are errors") {
    check_error([](inout<float>) { workgroup_size(64); line = __LINE__; workgroup_size(32); },
                "workgroup_size was said before with another size");
    check_error([](inout<float>) { line = __LINE__; workgroup_size(0); }, "workgroup_size(0, 1, 1)");
    check_error([](inout<float>) { line = __LINE__; workgroup_size(-1); }, "workgroup_size(");
    check_error([](inout<float>) { line = __LINE__; covers(4, 0); }, "covers(4, 0)");
    check_error([](inout<float>) { math_mode(math::fast); line = __LINE__; math_mode(math::precise); },
                "math_mode was said before with another mode");
    check_error([](inout<float>) { (void)tune("t", {1, 2}); line = __LINE__; (void)tune("t", {1, 3}); },
                "tune(\"t\") was asked before with other values");
    check_error([](inout<float>) { line = __LINE__; (void)tune("t", std::initializer_list<int>{}); },
                "tune(\"t\") has no values");
}

TEST_CASE("arrays without elements or too large are errors") {
    check_error([](inout<float>) { line = __LINE__; local_array<float> t(0); }, "an array extent is 0");
    check_error([](inout<float>) { line = __LINE__; shared<float> t(4, 0); }, "an array extent is 0");
    check_error([](inout<float>) { line = __LINE__; shared<float> t(std::size_t{1} << 40); },
                "an array of extent 1099511627776 is too large");
}

TEST_CASE("a row of an array is no element and an element no row") {
    check_error([](inout<float>) { shared<float> t(4, 4); line = __LINE__; t[0] = 1.f; },
                "this is a row of an array with more extents: index it further");
    check_error([](inout<float> y) { shared<float> t(4, 4); line = __LINE__; y[0] = t[0]; },
                "this is a row of an array with more extents: index it further");
    check_error([](inout<float>) { shared<float> t(4); line = __LINE__; t[0][0] = 1.f; },
                "too many indices: this is an element already");
}

TEST_CASE("the step of a range is positive") {
    check_error([](val<int> n) { line = __LINE__; for_(range(n, 0, -1), [](auto) {}); },
                "the step of a range must be positive");
    check_error([](val<int> n) { line = __LINE__; for_(range(n, 0, 0), [](auto) {}); },
                "the step of a range must be positive");
}
