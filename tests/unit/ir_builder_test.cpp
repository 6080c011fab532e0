// Interning, result types and places of the IR builder.
#include <catch2/catch.hpp>

#include <array>

#include "dsl/ir/builder.hpp"
#include "dsl/ir/text.hpp"
#include "tests/unit/ir_kernels.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;

TEST_CASE("Equal types have one id, however they are described") {
    ir::module m;
    const auto f3 = ir::intern_vector(m, scalar_kind::f32, 3);
    CHECK(ir::intern_vector(m, scalar_kind::f32, 3) == f3);
    CHECK(ir::intern_vector(m, scalar_kind::f32, 4) != f3);
    CHECK(m[f3].size_bytes == 12);
    CHECK(m[f3].alignment_bytes == 4);

    static constexpr quern_detail::type_desc f32{
        .kind = quern_detail::type_kind::scalar, .scalar = scalar_kind::f32, .size_bytes = 4, .alignment_bytes = 4};
    static constexpr quern_detail::type_desc vector{.kind = quern_detail::type_kind::vector,
                                              .scalar = scalar_kind::f32,
                                              .count = 3,
                                              .size_bytes = 12,
                                              .alignment_bytes = 4};
    static constexpr quern_detail::member_desc members[]{{"position", 0, &vector}, {"mass", 12, &f32}};
    static constexpr quern_detail::type_desc described{.kind = quern_detail::type_kind::structure,
                                                 .count = 2,
                                                 .size_bytes = 16,
                                                 .alignment_bytes = 4,
                                                 .members = members,
                                                 .name = "particle"};
    CHECK(ir::intern(m, vector) == f3);
    const auto particle = ir::intern(m, described);
    CHECK(ir::print_type(m, particle) == "struct<16, 4>{@0 position: vec3<f32>, @12 mass: f32}");

    const auto scalar = ir::intern_scalar(m, scalar_kind::f32);
    const std::array renamed{ir::member{0, f3, "p"}, ir::member{12, scalar, "m"}};
    CHECK(ir::intern_struct(m, renamed, 16, 4) == particle);
    const std::array moved{ir::member{4, f3, "position"}, ir::member{0, scalar, "mass"}};
    CHECK(ir::intern_struct(m, moved, 16, 4) != particle);
    CHECK(ir::intern_array(m, particle, 3) == ir::intern_array(m, particle, 3));
    CHECK(m[ir::intern_array(m, particle, 3)].size_bytes == 48);
}

TEST_CASE("Scalar names are their own inverse") {
    CHECK(ir::name(scalar_kind::boolean) == "bool");
    CHECK(ir::name(scalar_kind::bf16) == "bf16");
    for (int i = 1; i <= static_cast<int>(scalar_kind::f64); ++i)
        CHECK(ir::find_scalar(ir::name(static_cast<scalar_kind>(i))) == static_cast<scalar_kind>(i));
    CHECK(ir::find_scalar("float") == scalar_kind::none);
}

TEST_CASE("Result types follow the rules of the op table") {
    tests::maker k("types");
    const auto f2 = ir::intern_vector(k.m, scalar_kind::f32, 2);
    const auto a = k.f32(1), b = k.f32(2);
    const auto v = k.op(op::construct, {a, b}, 0, f2);
    const auto type_of = [&](ir::value_id id) { return ir::print_type(k.m, k.m[id].type); };
    CHECK(type_of(k.op(op::add, {v, v})) == "vec2<f32>");
    CHECK(type_of(k.op(op::lt, {v, v})) == "vec2<bool>");
    CHECK(type_of(k.op(op::lt, {a, b})) == "bool");
    CHECK(type_of(k.op(op::select, {k.boolean(true), v, v})) == "vec2<f32>");
    CHECK(type_of(k.op(op::extract_dynamic, {v, k.u32(1)})) == "f32");
    CHECK(type_of(k.op(op::extract, {v}, 1)) == "f32");
    CHECK(type_of(k.op(op::swizzle, {v}, 0xf010)) == "vec3<f32>");
    CHECK(type_of(k.op(op::global_id, {}, 2)) == "u32");
    CHECK(type_of(k.op(op::subgroup_any, {k.boolean(true)})) == "bool");
}

TEST_CASE("A place has the type that its steps lead to, and loads and atomics have its type") {
    tests::maker k("places");
    const auto u32 = k.scalar(scalar_kind::u32);
    const auto row = ir::intern_array(k.m, ir::intern_vector(k.m, scalar_kind::u32, 4), 8);
    const auto buffer = k.buffer("rows", ir::access::read_write, row);
    const auto one = k.u32(1);
    CHECK(k.m[k.in_buffer(buffer, {k.index(one)})].type == row);
    CHECK(ir::print_type(k.m, k.m[k.in_buffer(buffer, {k.index(one), k.index(one)})].type) == "vec4<u32>");
    const auto cell = k.in_buffer(buffer, {k.index(one), k.index(one), k.member(3)});
    CHECK(k.m[cell].type == u32);
    CHECK(k.m[k.b.load(cell)].type == u32);
    CHECK(k.m[k.op(op::atomic_add, {one}, cell.number)].type == u32);
    CHECK(k.m.type_of(k.op(op::atomic_store, {one}, cell.number)).kind == ir::type_kind::none);
    CHECK(k.m[k.in_buffer(buffer, {k.index(one), k.member(3)})].type.is_none());
}

TEST_CASE("Operands may come from the module's own pool") {
    tests::maker k("alias");
    ir::value_id last = k.op(op::fma, {k.f32(1), k.f32(2), k.f32(3)});
    for (int i = 0; i < 100; ++i) last = k.b.define(op::fma, k.m.operands_of(last));
    const auto operands = k.m.operands_of(last);
    REQUIRE(operands.size() == 3);
    CHECK(k.m[operands[0]].immediate == 0x3f80'0000);
    CHECK(k.m[operands[2]].immediate == 0x4040'0000);
}
