// What tracing leaves in the IR: one construct of the language each, against the printed form.
#include <catch2/catch.hpp>

#include <type_traits>

#include <quern/quern.hpp>

#include "tests/support/tracing.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

enum class order : unsigned { up = 3, down = 7 };
QUERN_ENUM(order, up, down);

std::size_t count(const ir::module& m, ir::op code) {
    std::size_t n = 0;
    for (const ir::value& v : m.values) n += v.op == code;
    return n;
}

}  // namespace

TEST_CASE("saxpy traces to two loads, a product, a sum and a store") {
    CHECK(statements([](inout<float> y, in<float> x, val<float> a) {
              val i = global_id();
              y[i] = a * x[i] + y[i];
          }) == "%v0 = global_id.x : u32\n"
                "%v1 = load %p1[%v0] : f32\n"
                "%v2 = load %p0[%v0] : f32\n"
                "%v3 = mul %p2, %v1 : f32\n"
                "%v4 = add %v3, %v2 : f32\n"
                "store %p0[%v0], %v4\n");
}

TEST_CASE("an expression keeps the values that its operands had when the operator was applied") {
    CHECK(statements([](inout<float> y) {
              var v = y[0];
              auto e = v + 1.f;
              v = 7;
              y[1] = e;
          }) == "%v0 = load %p0[0u32] : f32\n"
                "declare %t0: f32\n"
                "store %t0, %v0\n"
                "%v1 = load %t0 : f32\n"
                "store %t0, 7.0f32\n"
                "%v2 = add %v1, 1.0f32 : f32\n"
                "store %p0[1u32], %v2\n");
}

TEST_CASE("an expression that nothing uses leaves no IR, nor do its loads") {
    CHECK(statements([](inout<float> y) {
              auto e = y[0] * y[1];
              auto twice = e + e;
              (void)twice;
          }).empty());
}

TEST_CASE("a val that nothing uses leaves no IR") {
    CHECK(statements([](inout<float> y) { val v = y[0] * 2; (void)v; }).empty());
}

TEST_CASE("operators return expressions, not values") {
    static_assert(!std::is_same_v<decltype(std::declval<val<float>>() * std::declval<val<float>>()), val<float>>);
    static_assert(!std::is_same_v<decltype(std::declval<val<float>>() * std::declval<val<float>>()),
                                  decltype(std::declval<val<float>>() + std::declval<val<float>>())>);
    SUCCEED();
}

TEST_CASE("an expression that is used twice is computed once") {
    const ir::module m = module_of([](inout<float> y) {
        val v = y[0];
        auto e = v * v;
        y[1] = e + 1;
        y[2] = e + 2;
    });
    CHECK(count(m, ir::op::mul) == 1);
}

TEST_CASE("equal expressions that are written twice are computed once") {
    const ir::module m = module_of([](inout<float> y) {
        val v = y[0];
        y[1] = (v * 3) + (v * 3);
    });
    CHECK(count(m, ir::op::mul) == 1);
}

TEST_CASE("sixteen squarings are sixteen products") {
    const ir::module with_values = module_of([](inout<float> y) {
        var v = y[0];
        for (int i = 0; i < 16; ++i) v = v * v;
        y[1] = v;
    });
    CHECK(count(with_values, ir::op::mul) == 16);
    const ir::module with_expressions = module_of([](inout<float> y) {
        val v = y[0];
        auto e2 = v * v;
        auto e4 = e2 * e2;
        auto e8 = e4 * e4;
        auto e16 = e8 * e8;
        auto e32 = e16 * e16;
        auto e64 = e32 * e32;
        auto e128 = e64 * e64;
        auto e256 = e128 * e128;
        y[1] = e256;
    });
    CHECK(count(with_expressions, ir::op::mul) == 8);
}

TEST_CASE("an expression that was computed inside a block is computed again after it") {
    CHECK(statements([](inout<float> y, val<float> a) {
              auto e = a * a;
              if_(a > 0.f, [&] { y[0] = e; });
              y[1] = e;
          }) == "%v0 = gt %p1, 0.0f32 : bool\n"
                "if %v0 {\n"
                "  %v1 = mul %p1, %p1 : f32\n"
                "  store %p0[0u32], %v1\n"
                "}\n"
                "%v2 = mul %p1, %p1 : f32\n"
                "store %p0[1u32], %v2\n");
}

TEST_CASE("copying a var declares another, assigning one stores") {
    CHECK(statements([](inout<float> y) {
              var v = 1.f;
              var w = v;
              w = 2;
              v = w;
              y[0] = v;
          }) == "declare %t0: f32\n"
                "store %t0, 1.0f32\n"
                "%v0 = load %t0 : f32\n"
                "declare %t1: f32\n"
                "store %t1, %v0\n"
                "store %t1, 2.0f32\n"
                "%v1 = load %t1 : f32\n"
                "store %t0, %v1\n"
                "%v2 = load %t0 : f32\n"
                "store %p0[0u32], %v2\n");
}

TEST_CASE("a val of a place is its value, a place of it reads again") {
    CHECK(statements([](inout<float> y) {
              val v = y[0];
              place p = y[0];
              p = 5;
              y[1] = v;
              y[2] = p + 1;
          }) == "%v0 = load %p0[0u32] : f32\n"
                "store %p0[0u32], 5.0f32\n"
                "store %p0[1u32], %v0\n"
                "%v1 = load %p0[0u32] : f32\n"
                "%v2 = add %v1, 1.0f32 : f32\n"
                "store %p0[2u32], %v2\n");
}

TEST_CASE("increments load, add one and store") {
    CHECK(statements([](inout<int> y) {
              val old = y[0]++;
              ++y[1];
              y[2] -= old;
          }) == "%v0 = load %p0[0u32] : i32\n"
                "%v1 = add %v0, 1i32 : i32\n"
                "store %p0[0u32], %v1\n"
                "%v2 = load %p0[1u32] : i32\n"
                "%v3 = add %v2, 1i32 : i32\n"
                "store %p0[1u32], %v3\n"
                "%v4 = load %p0[2u32] : i32\n"
                "%v5 = sub %v4, %v0 : i32\n"
                "store %p0[2u32], %v5\n");
}

TEST_CASE("the condition of elif_ is computed in the else branch") {
    CHECK(statements([](inout<float> y) {
              if_(y[0] > 0.f, [&] { y[9] = 1; })
                  .elif_(y[1] > 0.f, [&] { y[9] = 2; })
                  .elif_(y[2] > 0.f, [&] { y[9] = 3; })
                  .else_([&] { y[9] = 4; });
          }) == "%v0 = load %p0[0u32] : f32\n"
                "%v1 = gt %v0, 0.0f32 : bool\n"
                "if %v1 {\n"
                "  store %p0[9u32], 1.0f32\n"
                "} else {\n"
                "  %v2 = load %p0[1u32] : f32\n"
                "  %v3 = gt %v2, 0.0f32 : bool\n"
                "  if %v3 {\n"
                "    store %p0[9u32], 2.0f32\n"
                "  } else {\n"
                "    %v4 = load %p0[2u32] : f32\n"
                "    %v5 = gt %v4, 0.0f32 : bool\n"
                "    if %v5 {\n"
                "      store %p0[9u32], 3.0f32\n"
                "    } else {\n"
                "      store %p0[9u32], 4.0f32\n"
                "    }\n"
                "  }\n"
                "}\n");
}

TEST_CASE("for_ is a counted loop with break and continue") {
    CHECK(statements([](inout<float> y, val<uint> n) {
              for_(range(2u, n, 3), [&](val<uint> i) {
                  if_(i == 8, [] { break_(); });
                  if_(i == 5, [] { continue_(); });
                  y[i] = 1;
              });
          }) == "for %v0 = 2u32 to %p1 step 3u32 : u32 {\n"
                "  %v1 = eq %v0, 8u32 : bool\n"
                "  if %v1 {\n"
                "    break\n"
                "  }\n"
                "  %v2 = eq %v0, 5u32 : bool\n"
                "  if %v2 {\n"
                "    continue\n"
                "  }\n"
                "  store %p0[%v0], 1.0f32\n"
                "}\n");
}

TEST_CASE("the condition of while_ is computed before every round") {
    CHECK(statements([](inout<float> y) {
              while_([&] { return y[0] > 1.f; }, [&] { y[0] *= 0.5f; });
          }) == "while {\n"
                "  %v0 = load %p0[0u32] : f32\n"
                "  %v1 = gt %v0, 1.0f32 : bool\n"
                "} %v1 {\n"
                "  %v2 = load %p0[0u32] : f32\n"
                "  %v3 = mul %v2, 0.5f32 : f32\n"
                "  store %p0[0u32], %v3\n"
                "}\n");
}

TEST_CASE("and_then computes its second operand only where the first holds") {
    CHECK(statements([](out<float> y, in<float> x, val<uint> n) {
              val i = global_id();
              if_(and_then(i < n, [&] { return x[i] > 0.f; }), [&] { y[i] = 1; });
          }) == "declare %t0: bool\n"
                "store %t0, false\n"
                "%v0 = global_id.x : u32\n"
                "%v1 = lt %v0, %p2 : bool\n"
                "if %v1 {\n"
                "  %v2 = load %p1[%v0] : f32\n"
                "  %v3 = gt %v2, 0.0f32 : bool\n"
                "  store %t0, %v3\n"
                "}\n"
                "%v4 = load %t0 : bool\n"
                "if %v4 {\n"
                "  store %p0[%v0], 1.0f32\n"
                "}\n");
}

TEST_CASE("match on a traced enum is a switch over the enumerators' values") {
    CHECK(statements([](inout<float> y, val<order> e) {
              match(e, when<order::up>([&] { y[0] = 1; }), when<order::down>([&] { y[0] = 2; }));
          }) == "switch %p1 {\n"
                "  case 3u32 {\n"
                "    store %p0[0u32], 1.0f32\n"
                "  }\n"
                "  case 7u32 {\n"
                "    store %p0[0u32], 2.0f32\n"
                "  }\n"
                "  default {\n"
                "  }\n"
                "}\n");
}

TEST_CASE("match on a host enum leaves only the arm that was chosen") {
    CHECK(statements([](inout<float> y) {
              match(order::down, when<order::up>([&] { y[0] = 1; }), when<order::down>([&] { y[0] = 2; }));
          }) == "store %p0[0u32], 2.0f32\n");
    CHECK(statements([](inout<float> y) {
              match(order::down, when<order::up>([&] { y[0] = 1; }), otherwise([&] { y[0] = 3; }));
          }) == "store %p0[0u32], 3.0f32\n");
}

TEST_CASE("statements after return_ in its block leave no IR") {
    CHECK(statements([](inout<float> y) {
              y[0] = 1;
              return_();
              y[1] = 2;
              if_(y[0] > 0.f, [&] { y[2] = 3; });
          }) == "store %p0[0u32], 1.0f32\n"
                "return\n");
}

TEST_CASE("vectors are constructed, swizzled and taken apart") {
    CHECK(statements([](inout<float3> y, val<float> a) {
              val v = make_vec(a, 1.f, 2);
              y[0] = v.zyx();
              y[1].y() = v.x();
              y[2] = v * a;
          }) == "%v0 = construct %p1, 1.0f32, 2.0f32 : vec3<f32>\n"
                "%v1 = swizzle %v0.zyx : vec3<f32>\n"
                "store %p0[0u32], %v1\n"
                "%v2 = extract %v0[0] : f32\n"
                "store %p0[1u32].y, %v2\n"
                "%v3 = construct %p1, %p1, %p1 : vec3<f32>\n"
                "%v4 = mul %v0, %v3 : vec3<f32>\n"
                "store %p0[2u32], %v4\n");
}

TEST_CASE("shared arrays, barriers and atomics appear as they were written") {
    CHECK(statements([](inout<uint> y) {
              workgroup_size(64);
              shared<uint> t(4, 16);
              val l = local_id();
              t[1][l] = l;
              barrier();
              y[l] = t[1][l + 1];
              atomic_add(y[0], 5u);
              fence(scope::device);
          }) == "%v0 = local_id.x : u32\n"
                "store %s0[1u32][%v0], %v0\n"
                "barrier\n"
                "%v1 = add %v0, 1u32 : u32\n"
                "%v2 = load %s0[1u32][%v1] : u32\n"
                "store %p0[%v0], %v2\n"
                "%v3 = atomic_add %p0[0u32], 5u32 : u32\n"
                "fence device\n");
}

TEST_CASE("uniform_load stands between two barriers") {
    CHECK(statements([](inout<uint> y) {
              workgroup_size(64);
              shared<uint> t(4);
              y[0] = uniform_load(t[2]);
          }) == "barrier\n"
                "%v0 = uniform_load %s0[2u32] : u32\n"
                "barrier\n"
                "store %p0[0u32], %v0\n");
}

TEST_CASE("constants made outside kernels are constants in every kernel") {
    static val two = 2.f;
    static val three = float3{1, 2, 3};
    const auto body = [](inout<float3> y) { y[0] = three * two; };
    const std::string text = "%v0 = construct 1.0f32, 2.0f32, 3.0f32 : vec3<f32>\n"
                             "%v1 = construct 2.0f32, 2.0f32, 2.0f32 : vec3<f32>\n"
                             "%v2 = mul %v0, %v1 : vec3<f32>\n"
                             "store %p0[0u32], %v2\n";
    CHECK(statements(body) == text);
    CHECK(statements(body) == text);
}

TEST_CASE("one kernel traced for two targets gives two IRs") {
    const auto body = [](inout<float> y) {
        if (target().has(feature::subgroups)) y[0] = 1;
        else y[0] = 2;
    };
    target_info with = any_target(), without = any_target();
    without.features = 0;
    const ir::module a = trace_result(body, with).module, b = trace_result(body, without).module;
    CHECK(ir::print(a).find("1.0f32") != std::string::npos);
    CHECK(ir::print(b).find("2.0f32") != std::string::npos);
    CHECK(ir::hash(a) != ir::hash(b));
}

TEST_CASE("tune returns the first value, or the chosen one") {
    const auto body = [](inout<float> y) {
        const int tile = tune("tile", {8, 16, 32});
        workgroup_size(tile);
        y[0] = static_cast<float>(tile);
    };
    const trace::result by_default = trace_result(body);
    REQUIRE(by_default.tunables.size() == 1);
    CHECK(by_default.tunables[0].name == "tile");
    CHECK(by_default.tunables[0].values == std::vector<std::int64_t>{8, 16, 32});
    CHECK(by_default.tunables[0].chosen == 8);
    CHECK(by_default.module.workgroup_size[0] == 8);
    const std::vector<trace::tunable> choices{{"tile", {8, 16, 32}, 32}};
    const trace::result chosen = trace_result(body, any_target(), ir::launch_kind::over, choices);
    CHECK(chosen.tunables[0].chosen == 32);
    CHECK(chosen.module.workgroup_size[0] == 32);
}

TEST_CASE("require marks values that do not fit") {
    const auto body = [](inout<float> y) {
        require(tune("tile", {2048, 64}) <= static_cast<int>(target().max_workgroup_size));
        y[0] = 1;
    };
    CHECK_FALSE(trace_result(body).requirements_met);
    const std::vector<trace::tunable> choices{{"tile", {2048, 64}, 64}};
    CHECK(trace_result(body, any_target(), ir::launch_kind::over, choices).requirements_met);
}

TEST_CASE("math_mode, assume and workgroup_size are kept") {
    const auto body = [](inout<float> y, val<uint> n) {
        workgroup_size(16, 4);
        math_mode(math::precise);
        assume(n != 0);
        y[0] = 1;
    };
    const ir::module m = module_of(body);
    CHECK(m.math == ir::math_mode::precise);
    CHECK(m.workgroup_size == std::array<std::uint32_t, 3>{16, 4, 1});
    CHECK(statements(body) == "%v0 = ne %p1, 0u32 : bool\n"
                              "assume %v0\n"
                              "store %p0[0u32], 1.0f32\n");
}

TEST_CASE("parameters keep their kind, access and aliasing") {
    const ir::module m = module_of([](in<float> x, out<double2> y, aliased<inout<int>> z, val<std::uint64_t> n) {
        y[0] = make_vec(cast<double>(x[0]), cast<double>(n));
        z[0] = 1;
    });
    REQUIRE(m.parameters.size() == 4);
    CHECK(m.parameters[0].access == ir::access::read);
    CHECK(m.parameters[1].access == ir::access::write);
    CHECK(m.parameters[2].access == ir::access::read_write);
    CHECK(m.parameters[2].aliased);
    CHECK_FALSE(m.parameters[0].aliased);
    CHECK(m.parameters[3].kind == ir::parameter_kind::value);
    CHECK(ir::print_type(m, m.parameters[1].type) == "vec2<f64>");
    CHECK(ir::print_type(m, m.parameters[3].type) == "u64");
}

TEST_CASE("every statement knows the user's line") {
    unsigned first = 0;
    const ir::module m = module_of([&](inout<float> y) {
        first = __LINE__ + 1;
        var v = y[0];
        v = v + 1.f;
        y[1] = v;
        ++v;
        y[2] = v;
    });
    for (const ir::location_id l : m[m.body].locations) {
        REQUIRE(l);
        CHECK(m.locations[l.number].line >= first);
        CHECK(m.locations[l.number].line <= first + 4);
    }
    const auto line_of_last = m.locations[m[m.body].locations.back().number].line;
    CHECK(line_of_last == first + 4);
}
