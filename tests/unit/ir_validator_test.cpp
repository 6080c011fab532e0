// What the validator refuses: malformed modules as internal errors, the user's mistakes as usage errors with the line.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include <functional>

#include "dsl/ir/validator.hpp"
#include "tests/unit/random_kernel.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;
using tests::maker;

namespace {

/// The value of the first define statement of this op.
ir::value_id find(const ir::module& m, op code) {
    for (std::uint32_t i = 0; i < m.values.size(); ++i)
        if (m.values[i].op == code) return {i};
    return {};
}

template <class Statement>
Statement& first(ir::module& m) {
    for (ir::block& b : m.blocks)
        for (ir::statement& s : b.statements)
            if (auto* found = std::get_if<Statement>(&s)) return *found;
    throw std::logic_error("no such statement");
}

void refuses(ir::module m, const std::string& text, const std::function<void(ir::module&)>& break_it) {
    REQUIRE_NOTHROW(ir::validate(m));
    break_it(m);
    INFO(text);
    CHECK_THROWS_AS(ir::validate(m), internal_error);
    CHECK_THROWS_WITH(ir::validate(m), Catch::Contains(text) && Catch::Contains("QUERN_DUMP"));
}

/// A kernel with one value of each of many types, and `add` to give it one more.
struct palette : maker {
    palette() : maker("palette", 32) {
        u = u32(1), s = i32(1), f = f32(1), flag = boolean(true), wide = b.constant(scalar_kind::u64, 1);
        v2 = op(op::construct, {f, f}, 0, ir::intern_vector(m, scalar_kind::f32, 2));
        flags2 = op(op::lt, {v2, v2});
        array = ir::intern_array(m, scalar(scalar_kind::f32), 2);
        y = buffer("y", ir::access::read_write, scalar(scalar_kind::u32));
        x = buffer("x", ir::access::read, scalar(scalar_kind::f32));
        z = buffer("z", ir::access::write, scalar(scalar_kind::f32));
    }
    using maker::op;
    using op_code = ir::op;
    ir::value_id u, s, f, flag, wide, v2, flags2;
    ir::type_id array;
    std::uint32_t y, x, z;
};

void accepts_value(const std::function<void(palette&)>& add) {
    palette p;
    add(p);
    CHECK_NOTHROW(ir::validate(p.finish()));
}

void refuses_value(const std::string& text, const std::function<void(palette&)>& add) {
    palette p;
    add(p);
    INFO(text);
    CHECK_THROWS_AS(ir::validate(p.finish()), internal_error);
    CHECK_THROWS_WITH(ir::validate(p.m), Catch::Contains(text));
}

void user_error(ir::module m, const std::string& text) {
    INFO(text);
    CHECK_THROWS_AS(ir::validate(m), usage_error);
    CHECK_THROWS_WITH(ir::validate(m), Catch::Contains(text));
}

}  // namespace

TEST_CASE("Sound kernels are valid") {
    for (const ir::module& m : tests::all_kernels()) CHECK_NOTHROW(ir::validate(m));
    for (std::uint64_t seed = 0; seed < 100; ++seed) CHECK_NOTHROW(ir::validate(tests::random_kernel(seed).make(40)));
}

TEST_CASE("Handles out of range are found wherever they are") {
    refuses(tests::saxpy(), "operand", [](ir::module& m) { m.operands[0] = {}; });
    refuses(tests::saxpy(), "operands", [](ir::module& m) { m.values.back().operands.first = 1'000'000; });
    refuses(tests::saxpy(), "has no type", [](ir::module& m) { m.values[2].type = {99}; });
    refuses(tests::saxpy(), "place", [](ir::module& m) { m[find(m, op::load)].immediate = 1'000; });
    refuses(tests::saxpy(), "steps", [](ir::module& m) { m.places[0].steps.count = 77; });
    refuses(tests::saxpy(), "index", [](ir::module& m) { m.steps[0].index = {4'000}; });
    refuses(tests::saxpy(), "root", [](ir::module& m) { m.places[0].number = 9; });
    refuses(tests::saxpy(), "body", [](ir::module& m) { m.body = {}; });
    refuses(tests::classify(), "case", [](ir::module& m) { m.cases[0].body = {100}; });
    refuses(tests::collatz(), "block", [](ir::module& m) { first<ir::if_statement>(m).else_block = {100}; });
    refuses(tests::collatz(), "variable", [](ir::module& m) { first<ir::declare>(m).variable = {100}; });
    refuses(tests::saxpy(), "unknown op", [](ir::module& m) { m.values.back().op = static_cast<op>(ir::op_count); });
}

TEST_CASE("Types must be laid out soundly and contain earlier ones only") {
    refuses(tests::particles(), "contains", [](ir::module& m) { m.members[0].type = {50}; });
    refuses(tests::particles(), "no sound layout", [](ir::module& m) { m.members[1].offset_bytes = 8; });
    refuses(tests::particles(), "no sound layout", [](ir::module& m) {
        for (ir::type& t : m.types)
            if (t.kind == ir::type_kind::array) t.count = 3;
    });
    refuses(tests::saxpy(), "no sound layout", [](ir::module& m) { m.types[0].alignment_bytes = 3; });
}

TEST_CASE("Blocks form a tree and values are defined once, before their uses") {
    refuses(tests::collatz(), "two owners", [](ir::module& m) {
        ir::if_statement& i = first<ir::if_statement>(m);
        i.else_block = i.then_block;
    });
    refuses(tests::saxpy(), "defined twice", [](ir::module& m) {
        ir::block& body = m[m.body];
        body.statements.push_back(body.statements[1]);
    });
    refuses(tests::saxpy(), "used before it is defined", [](ir::module& m) {
        ir::block& body = m[m.body];
        std::swap(body.statements.front(), body.statements.back());
    });
    refuses(tests::collatz(), "declared twice",
            [](ir::module& m) { m[m.body].statements.push_back(first<ir::declare>(m)); });
    refuses(tests::collatz(), "before it is declared", [](ir::module& m) {
        auto& statements = m[m.body].statements;
        for (std::size_t i = 0; i < statements.size(); ++i)
            if (std::holds_alternative<ir::declare>(statements[i])) return std::swap(statements[i], statements[i + 1]);
    });
    refuses(tests::collatz(), "define of its own",
            [](ir::module& m) { m[m.body].statements.push_back(ir::define{find(m, op::induction)}); });
    refuses(tests::reduce(), "shared variable is declared",
            [](ir::module& m) { m[m.body].statements.push_back(ir::declare{ir::variable_id{0}}); });
}

TEST_CASE("Statements take operands of the right types") {
    refuses(tests::saxpy(), "only read", [](ir::module& m) { m.parameters[0].access = ir::access::read; });
    refuses(tests::collatz(), "condition must be a bool",
            [](ir::module& m) { first<ir::if_statement>(m).condition = find(m, op::global_id); });
    refuses(tests::classify(), "two cases", [](ir::module& m) { m.cases[1].literal = m.cases[0].literal; });
    refuses(tests::classify(), "does not fit", [](ir::module& m) { m.cases[1].literal = 1ull << 32; });
    refuses(tests::nested(), "bounded by", [](ir::module& m) { first<ir::for_statement>(m).last = find(m, op::ne); });
    refuses(tests::particles(), "store of", [](ir::module& m) { first<ir::store>(m).value = find(m, op::global_id); });
    refuses(tests::collatz(), "another op", [](ir::module& m) { m[find(m, op::induction)].op = op::global_id; });
    refuses(tests::saxpy(), "extent is 0", [](ir::module& m) { m.workgroup_size = {8, 0, 1}; });
}

TEST_CASE("Operands obey the rule of their op") {
    using p = palette;
    refuses_value("wrong number", [](p& k) { k.op(op::add, {k.u}, 0, k.m[k.u].type); });
    refuses_value("add(u32, i32)", [](p& k) { k.op(op::add, {k.u, k.s}); });
    refuses_value("add(bool, bool)", [](p& k) { k.op(op::add, {k.flag, k.flag}); });
    refuses_value("shl(f32, f32)", [](p& k) { k.op(op::shl, {k.f, k.f}); });
    refuses_value("sqrt(u32)", [](p& k) { k.op(op::sqrt, {k.u}); });
    refuses_value("bit_and(f32, f32)", [](p& k) { k.op(op::bit_and, {k.f, k.f}); });
    accepts_value([](p& k) { k.op(op::bit_and, {k.flag, k.flag}); });
    accepts_value([](p& k) { k.op(op::eq, {k.flag, k.flag}); });
    refuses_value("lt(bool, bool)", [](p& k) { k.op(op::lt, {k.flag, k.flag}); });
    accepts_value([](p& k) { k.op(op::select, {k.flag, k.v2, k.v2}); });
    accepts_value([](p& k) { k.op(op::select, {k.flags2, k.v2, k.v2}); });
    refuses_value("select(vec2<bool>, f32, f32)", [](p& k) { k.op(op::select, {k.flags2, k.f, k.f}); });
    refuses_value("select(u32, f32, f32)", [](p& k) { k.op(op::select, {k.u, k.f, k.f}); });
    accepts_value([](p& k) { k.op(op::cast, {k.flag}, 0, k.m[k.u].type); });
    refuses_value("cast(vec2<f32>) -> f32", [](p& k) { k.op(op::cast, {k.v2}, 0, k.m[k.f].type); });
    accepts_value([](p& k) { k.op(op::bit_cast, {k.v2}, 0, k.m[k.wide].type); });
    refuses_value("bit_cast(u64) -> u32", [](p& k) { k.op(op::bit_cast, {k.wide}, 0, k.m[k.u].type); });
    refuses_value("construct(f32) -> vec2<f32>", [](p& k) { k.op(op::construct, {k.f}, 0, k.m[k.v2].type); });
    refuses_value("construct(f32, u32) -> array<f32, 2>", [](p& k) { k.op(op::construct, {k.f, k.u}, 0, k.array); });
    refuses_value("extract(vec2<f32>)", [](p& k) { k.op(op::extract, {k.v2}, 2, k.m[k.f].type); });
    refuses_value("extract(f32)", [](p& k) { k.op(op::extract, {k.f}, 0, k.m[k.f].type); });
    refuses_value("insert(vec2<f32>, u32)", [](p& k) { k.op(op::insert, {k.v2, k.u}, 0); });
    refuses_value("insert(array<f32, 2>, f32)",
                  [](p& k) { k.op(op::insert, {k.op(op::construct, {k.f, k.f}, 0, k.array), k.f}, 0); });
    refuses_value("extract_dynamic(vec2<f32>, u64)", [](p& k) { k.op(op::extract_dynamic, {k.v2, k.wide}); });
    refuses_value("swizzle(vec2<f32>)", [](p& k) { k.op(op::swizzle, {k.v2}, 0xf021); });
    refuses_value("subgroup_any(u32)", [](p& k) { k.op(op::subgroup_any, {k.u}); });
    refuses_value("subgroup_add(bool)", [](p& k) { k.op(op::subgroup_add, {k.flag}); });
    refuses_value("subgroup_shuffle(f32, i32)", [](p& k) { k.op(op::subgroup_shuffle, {k.f, k.s}); });
}

TEST_CASE("Results and immediates obey the rule of their op") {
    using p = palette;
    refuses_value("add(u32, u32) -> f32", [](p& k) { k.op(op::add, {k.u, k.u}, 0, k.m[k.f].type); });
    refuses_value("lt(f32, f32) -> u32", [](p& k) { k.op(op::lt, {k.f, k.f}, 0, k.m[k.u].type); });
    refuses_value("constant()", [](p& k) { k.b.constant(scalar_kind::u8, 256); });
    refuses_value("global_id()", [](p& k) { k.op(op::global_id, {}, 3); });
    refuses_value("local_id() -> f32", [](p& k) { k.op(op::local_id, {}, 0, k.m[k.f].type); });
    refuses_value("buffer_size()", [](p& k) { k.op(op::buffer_size, {}, 3); });
    accepts_value([](p& k) { k.op(op::buffer_size, {}, k.y, k.m[k.wide].type); });
    refuses_value("parameter()", [](p& k) { k.op(op::parameter, {}, k.y); });
}

TEST_CASE("Memory is read and written only where that is allowed") {
    using p = palette;
    refuses_value("load()", [](p& k) { k.load(k.z, k.u); });
    refuses_value("a store to a buffer that is only read", [](p& k) { k.store(k.x, k.u, k.f); });
    refuses_value("must be a 32- or 64-bit integer, not f32", [](p& k) { k.load(k.x, k.f); });
    refuses_value("begins with an index", [](p& k) { k.in_buffer(k.x, {}); });
    refuses_value("f32 has no such part", [](p& k) {
        k.b.target().places.push_back({ir::root_kind::parameter, k.x, k.m[k.f].type, {0, 2}}),
            k.m.steps = {k.index(k.u), k.index(k.u)};
    });
    accepts_value([](p& k) { k.op(op::atomic_add, {k.u}, k.in_buffer(k.y, {k.index(k.u)}).number); });
    refuses_value("atomic_add(f32)",
                  [](p& k) { k.op(op::atomic_add, {k.f}, k.in_buffer(k.x, {k.index(k.u)}).number); });
    refuses_value("atomic_add(u32)",
                  [](p& k) { k.op(op::atomic_add, {k.u}, k.in_variable(k.local("t", k.u)).number); });
    accepts_value([](p& k) { k.op(op::atomic_min, {k.f}, k.in_variable(k.shared("t", k.m[k.f].type)).number); });
    accepts_value([](p& k) { k.op(op::atomic_load, {}, k.in_variable(k.shared("t", k.m[k.f].type)).number); });
    accepts_value([](p& k) { k.op(op::atomic_store, {k.f}, k.in_variable(k.shared("t", k.m[k.f].type)).number); });
    refuses_value("atomic_and(f32)",
                  [](p& k) { k.op(op::atomic_and, {k.f}, k.in_variable(k.shared("t", k.m[k.f].type)).number); });
}

TEST_CASE("A barrier in divergent control names its line and the condition's") {
    maker k("blur", 64);
    const auto i = k.at(12).op(op::local_id, {}, 0);
    const auto few = k.op(op::lt, {i, k.u32(4)});
    const auto inner = k.block([&] { k.at(15).put(ir::barrier{}); });
    k.at(14).put(ir::if_statement{few, inner, k.block([] {})});
    const ir::module m = k.finish();
    user_error(m, "kernel.cpp:15: barrier() is reached by only some invocations of the workgroup");
    user_error(m, "kernel.cpp:14");
}

TEST_CASE("A barrier after a divergent return, and one in a loop left by a divergent break, are found") {
    for (const bool in_loop : {false, true}) {
        maker k("late", 64);
        const auto few = k.op(op::lt, {k.op(op::local_id, {}, 0), k.u32(4)});
        const auto body = [&] {
            k.at(20);
            k.if_(few, [&] {
                if (in_loop)
                    k.put(ir::break_statement{});
                else
                    k.put(ir::return_statement{});
            });
            k.at(21).put(ir::barrier{});
        };
        if (in_loop)
            k.for_(k.u32(0), k.u32(4), k.u32(1), [&](ir::value_id) { body(); });
        else
            body();
        const ir::module m = k.finish();
        user_error(m, "kernel.cpp:21: barrier()");
        user_error(m, "kernel.cpp:20");
    }
}

TEST_CASE("Subgroup operations need subgroup-uniform control only") {
    const auto with_condition = [](op position) {
        maker k("sum", 64);
        const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
        const auto few = k.op(op::lt, {k.op(position, {}, 0), k.u32(1)});
        k.if_(few, [&] { k.store(y, k.u32(0), k.at(31).op(op::subgroup_add, {k.u32(1)})); });
        return k.finish();
    };
    CHECK_NOTHROW(ir::validate(with_condition(op::workgroup_id)));
    CHECK_NOTHROW(ir::validate(with_condition(op::subgroup_id)));
    user_error(with_condition(op::local_id),
               "kernel.cpp:31: subgroup_add is reached by only some invocations of the subgroup");
}

TEST_CASE("A uniform load reads shared memory at an index that all share") {
    const auto loads = [](bool from_shared, bool uniform_index) {
        maker k("uniform", 64);
        const auto u32 = k.scalar(scalar_kind::u32);
        const auto y = k.buffer("y", ir::access::read_write, u32);
        const auto tile = k.shared("tile", ir::intern_array(k.m, u32, 64));
        const auto i = uniform_index ? k.u32(3) : k.op(op::local_id, {}, 0);
        const auto from = from_shared ? k.in_variable(tile, {k.index(i)}) : k.in_buffer(y, {k.index(i)});
        k.store(y, k.u32(0), k.at(7).op(op::uniform_load, {}, from.number));
        return k.finish();
    };
    CHECK_NOTHROW(ir::validate(loads(true, true)));
    user_error(loads(false, true), "kernel.cpp:7: uniform_load() reads shared memory only");
    user_error(loads(true, false), "kernel.cpp:7: the index of uniform_load() differs");
}

TEST_CASE("What lives in a block is not used outside it") {
    maker k("scope");
    const auto y = k.buffer("y", ir::access::write, k.scalar(scalar_kind::u32));
    const auto i = k.op(op::global_id, {}, 0);
    ir::value_id inside;
    k.if_(k.op(op::lt, {i, k.u32(5)}), [&] { inside = k.at(3).op(op::add, {i, i}); });
    k.at(9).store(y, i, inside);
    user_error(k.finish(), "kernel.cpp:9: a value is used outside the block that made it (kernel.cpp:3)");

    maker l("loop");
    const auto z = l.buffer("z", ir::access::write, l.scalar(scalar_kind::u32));
    l.for_(l.u32(0), l.u32(4), l.u32(1), [&](ir::value_id n) { inside = n; });
    l.at(11).store(z, l.u32(0), inside);
    user_error(l.finish(), "kernel.cpp:11: a value is used outside the block that made it");

    maker v("variable");
    ir::variable_id t;
    v.if_(v.boolean(true), [&] { t = v.local("t", v.u32(1)); });
    v.at(4).set(t, v.u32(2));
    user_error(v.finish(), "kernel.cpp:4: a var is used outside the block that declared it");
}

TEST_CASE("Jumps need a loop, and a loop's condition is no place for them") {
    maker k("jump");
    k.if_(k.boolean(true), [&] { k.at(2).put(ir::continue_statement{}); });
    user_error(k.finish(), "kernel.cpp:2: break_() and continue_() need an enclosing for_ or while_");
    maker w("head");
    w.while_(
        [&] {
            w.at(5).put(ir::break_statement{});
            return w.boolean(true);
        },
        [] {});
    user_error(w.finish(), "kernel.cpp:5: break_() and continue_() cannot stand in the condition of a while_");
}

TEST_CASE("A kernel that cooperates says its workgroup size") {
    ir::module m = tests::reduce();
    m.workgroup_size = {};
    user_error(m, "kernel 'reduce' uses its workgroup");
    maker k("unsized");
    k.at(7).put(ir::barrier{});
    m = k.finish();
    m.cooperative = true;
    user_error(m, "kernel.cpp:7: kernel 'unsized' uses its workgroup");
    m = tests::saxpy();
    m.launch = ir::launch_kind::tiles;
    m.workgroup_size = {8, 8, 1};
    user_error(m, "call covers(m, n)");
    m = tests::reduce();
    m.cooperative = false;
    CHECK_THROWS_AS(ir::validate(m), internal_error);
}

TEST_CASE("Blocks may be nested 500 deep but not without end") {
    const auto nest = [](int depth) {
        maker k("deep");
        const auto yes = k.boolean(true);
        for (int i = 0; i < depth; ++i) k.b.begin_block();
        for (int i = 0; i < depth; ++i) {
            const ir::block_id inner = k.b.end_block();
            k.put(ir::if_statement{yes, inner, k.block([] {})});
        }
        return k.finish();
    };
    CHECK_NOTHROW(ir::validate(nest(500)));
    user_error(nest(5'000), "blocks are nested more than 512 deep");
}

TEST_CASE("A loop whose step is known counts upwards") {
    const auto with = [](scalar_kind k, std::uint64_t step) {
        maker m("steps");
        const auto n = m.value("n", m.scalar(k));
        m.for_(n, n, m.at(7).b.constant(k, step), [](ir::value_id) {});
        return m.finish();
    };
    CHECK_NOTHROW(ir::validate(with(scalar_kind::u32, 0xffff'ffff)));
    CHECK_NOTHROW(ir::validate(with(scalar_kind::i64, 0x7fff'ffff'ffff'ffff)));
    user_error(with(scalar_kind::u32, 0), "kernel.cpp:7: the step of a for must be positive, not 0u32");
    user_error(with(scalar_kind::i64, 0), "must be positive, not 0i64");
    user_error(with(scalar_kind::i32, 0xffff'fffe), "must be positive, not -2i32");
}
