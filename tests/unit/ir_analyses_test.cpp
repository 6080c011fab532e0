// Uniformity and affine strides of values, by hand.
#include <catch2/catch.hpp>

#include "dsl/ir/affine.hpp"
#include "dsl/ir/uniformity.hpp"
#include "tests/unit/ir_kernels.hpp"

using namespace quern;
using ir::op;
using ir::scalar_kind;
using tests::maker;
using level = ir::uniformity;

namespace {

/// A kernel of 64 x 1 invocations a workgroup with a buffer of each access.
struct lab : maker {
    lab() : maker("lab", 64) {
        const auto u = scalar(scalar_kind::u32);
        in = buffer("in", ir::access::read, u);
        inout = buffer("inout", ir::access::read_write, u);
        untouched = buffer("untouched", ir::access::read_write, u);
        id = op(ir::op::local_id, {}, 0);
        group = op(ir::op::workgroup_id, {}, 0);
        subgroup = op(ir::op::subgroup_id, {});
        store(inout, id, id);
    }
    level of(ir::value_id v) {
        if (m.body.is_none()) finish();
        return ir::analyse_uniformity(m).of(v);
    }
    level of(ir::variable_id v) {
        if (m.body.is_none()) finish();
        return ir::analyse_uniformity(m).variables[v.number];
    }
    std::optional<std::int64_t> stride(ir::value_id v) {
        if (m.body.is_none()) finish();
        return ir::analyse_affine(m).of(v);
    }
    ir::value_id less(ir::value_id a, std::uint32_t b) { return op(ir::op::lt, {a, u32(b)}); }
    /// Control at the mark: the only fence of the kernel.
    level control() {
        if (m.body.is_none()) finish();
        const auto table = ir::analyse_uniformity(m);
        for (std::uint32_t b = 0; b < m.blocks.size(); ++b)
            for (std::size_t i = 0; i < m.blocks[b].statements.size(); ++i)
                if (std::holds_alternative<ir::fence>(m.blocks[b].statements[i])) return table.at({b}, i);
        throw std::logic_error("no mark");
    }
    void mark() { put(ir::fence{}); }
    void leave() { put(ir::return_statement{}); }

    std::uint32_t in, inout, untouched;
    ir::value_id id, group, subgroup;
};

}  // namespace

TEST_CASE("Positions are as uniform as their meaning") {
    lab k;
    const auto size = k.op(op::buffer_size, {}, k.in), lane = k.op(op::subgroup_lane, {});
    const auto row = k.op(op::local_id, {}, 1), global_row = k.op(op::global_id, {}, 1), x = k.op(op::global_id, {}, 0);
    const auto mixed = k.op(op::add, {k.group, k.subgroup}), worse = k.op(op::add, {k.id, k.group});
    CHECK(k.of(k.group) == level::workgroup);
    CHECK(k.of(size) == level::workgroup);
    CHECK(k.of(k.subgroup) == level::subgroup);
    CHECK(k.of(lane) == level::varying);
    CHECK(k.of(k.id) == level::varying);
    CHECK(k.of(x) == level::varying);
    CHECK(k.of(row) == level::workgroup);  // the workgroup is one row
    CHECK(k.of(global_row) == level::workgroup);
    CHECK(k.of(mixed) == level::subgroup);
    CHECK(k.of(worse) == level::varying);
}

TEST_CASE("Loads are uniform where nobody writes and the index is") {
    lab k;
    const auto shared = k.shared("s", k.scalar(scalar_kind::u32));
    const auto read = k.load(k.in, k.group), scattered = k.load(k.in, k.id), written = k.load(k.inout, k.group);
    const auto quiet = k.load(k.untouched, k.group), from_shared = k.get(shared);
    const auto agreed = k.op(op::uniform_load, {}, k.in_variable(shared).number);
    CHECK(k.of(read) == level::workgroup);
    CHECK(k.of(scattered) == level::varying);
    CHECK(k.of(written) == level::varying);
    CHECK(k.of(quiet) == level::workgroup);
    CHECK(k.of(from_shared) == level::varying);
    CHECK(k.of(agreed) == level::workgroup);
    k.m.parameters[k.inout].aliased = true;  // may be the very elements of `in`
    CHECK(k.of(read) == level::varying);
}

TEST_CASE("Variables are as uniform as what is stored and where") {
    lab k;
    const auto constant = k.local("constant", k.u32(1)), varying = k.local("varying", k.id);
    const auto under_uniform = k.local("under_uniform", k.u32(1)),
               under_divergent = k.local("under_divergent", k.u32(1));
    const auto under_subgroup = k.local("under_subgroup", k.u32(1));
    const auto late = k.local("late", k.u32(1));
    const auto cells = k.b.add_variable({ir::storage::local, ir::intern_array(k.m, k.scalar(scalar_kind::u32), 4)});
    k.put(ir::declare{cells});
    ir::variable_id inside;
    k.if_(k.less(k.group, 3), [&] { k.set(under_uniform, k.u32(2)); });
    k.if_(k.less(k.subgroup, 1), [&] { k.set(under_subgroup, k.u32(2)); });
    k.if_(k.less(k.id, 3), [&] {
        k.set(under_divergent, k.u32(2));
        inside = k.local("inside", k.u32(5));
        k.if_(k.less(k.group, 1), [&] { k.set(inside, k.u32(6)); });
    });
    k.put(ir::store{k.in_variable(cells, {k.index(k.id)}), k.u32(1)});
    k.if_(k.less(k.id, 9), [&] { k.leave(); });
    k.set(late, k.u32(3));
    CHECK(k.of(constant) == level::workgroup);
    CHECK(k.of(varying) == level::varying);
    CHECK(k.of(under_uniform) == level::workgroup);
    CHECK(k.of(under_subgroup) == level::subgroup);
    CHECK(k.of(under_divergent) == level::varying);
    CHECK(k.of(inside) == level::workgroup);  // equal among those that are there
    CHECK(k.of(cells) == level::varying);
    CHECK(k.of(late) == level::varying);
}

TEST_CASE("Variables that feed each other through a loop settle at the worst") {
    lab k;
    const auto a = k.local("a", k.u32(0)), b = k.local("b", k.u32(0)), c = k.local("c", k.u32(0));
    const auto counter = k.local("counter", k.u32(0));
    k.while_([&] { return k.less(k.get(counter), 10); },
             [&] {
                 k.set(a, k.get(b));
                 k.set(b, k.get(c));
                 k.set(c, k.id);
                 k.set(counter, k.op(op::add, {k.get(counter), k.u32(1)}));
                 k.mark();
             });
    CHECK(k.of(a) == level::varying);
    CHECK(k.of(counter) == level::workgroup);
    CHECK(k.control() == level::workgroup);
}

TEST_CASE("Branches and loops divide the invocations as their conditions do") {
    const auto under = [](auto condition) {
        lab k;
        k.if_(condition(k), [&] { k.mark(); });
        return k.control();
    };
    CHECK(under([](lab& k) { return k.less(k.group, 3); }) == level::workgroup);
    CHECK(under([](lab& k) { return k.less(k.subgroup, 3); }) == level::subgroup);
    CHECK(under([](lab& k) { return k.less(k.id, 3); }) == level::varying);

    const auto in_loop = [](auto last) {
        lab k;
        ir::value_id induction;
        k.for_(k.u32(0), last(k), k.u32(1), [&](ir::value_id i) { induction = i, k.mark(); });
        return std::pair(k.control(), k.of(induction));
    };
    CHECK(in_loop([](lab& k) { return k.group; }) == std::pair(level::workgroup, level::workgroup));
    CHECK(in_loop([](lab& k) { return k.id; }) == std::pair(level::varying, level::workgroup));

    lab w;
    const auto t = w.local("t", w.id);
    w.while_([&] { return w.less(w.get(t), 10); }, [&] { w.mark(); });
    CHECK(w.control() == level::varying);
    lab head;
    const auto u = head.local("u", head.id);
    head.while_(
        [&] {
            head.mark();
            return head.less(head.get(u), 10);
        },
        [] {});
    CHECK(head.control() == level::varying);  // from the second time on

    lab s;
    const std::array cases{ir::switch_case{1, s.block([&] { s.mark(); })}};
    s.b.append_switch(s.id, cases, s.block([] {}));
    CHECK(s.control() == level::varying);
}

TEST_CASE("A divergent jump makes what it leaves non-uniform, and no more") {
    const auto after = [](ir::statement jump, bool uniform, bool mark_inside) {
        lab k;
        k.for_(k.u32(0), k.u32(4), k.u32(1), [&](ir::value_id) {
            if (mark_inside) k.mark();  // before the jump: reached again by the next iteration
            k.if_(k.less(uniform ? k.group : k.id, 2), [&] { k.put(jump); });
        });
        if (!mark_inside) k.mark();
        return k.control();
    };
    for (const ir::statement& jump : {ir::statement(ir::break_statement{}), ir::statement(ir::continue_statement{})}) {
        CHECK(after(jump, false, true) == level::varying);
        CHECK(after(jump, true, true) == level::workgroup);
        CHECK(after(jump, false, false) == level::workgroup);  // all are back after the loop
    }
    CHECK(after(ir::return_statement{}, false, true) == level::varying);
    CHECK(after(ir::return_statement{}, false, false) == level::varying);
    CHECK(after(ir::return_statement{}, true, false) == level::workgroup);
}

TEST_CASE("A uniform jump inside a divergent branch divides only outside that branch") {
    lab k;
    ir::variable_id inside;
    k.if_(k.less(k.id, 30), [&] {
        inside = k.local("inside", k.u32(1));
        k.if_(k.less(k.group, 2), [&] { k.leave(); });
        k.set(inside, k.u32(2));
    });
    k.mark();
    CHECK(k.of(inside) == level::workgroup);
    CHECK(k.control() == level::varying);
}

TEST_CASE("A divergent loop makes what it stores outside itself varying") {
    lab k;
    const auto outside = k.local("outside", k.u32(0));
    ir::variable_id inside;
    k.for_(k.u32(0), k.u32(9), k.u32(1), [&](ir::value_id i) {
        inside = k.local("inside", i);
        k.if_(k.op(op::gt, {k.id, i}), [&] { k.put(ir::break_statement{}); });
        k.set(outside, i);
    });
    CHECK(k.of(inside) == level::workgroup);
    CHECK(k.of(outside) == level::varying);
}

TEST_CASE("Subgroup results are one value a subgroup, scans are not") {
    lab k;
    const auto sum = k.op(op::subgroup_add, {k.id}), sum_of_equal = k.op(op::subgroup_add, {k.group});
    const auto scan = k.op(op::subgroup_inclusive_add, {k.group}), largest = k.op(op::subgroup_max, {k.group});
    const auto first = k.op(op::subgroup_broadcast, {k.id, k.u32(0)}),
               moved = k.op(op::subgroup_shuffle_xor, {k.id, k.u32(1)});
    const auto same = k.op(op::subgroup_shuffle, {k.group, k.id}), any = k.op(op::subgroup_any, {k.less(k.id, 4)});
    CHECK(k.of(sum) == level::subgroup);
    CHECK(k.of(sum_of_equal) == level::subgroup);  // a partial subgroup has another sum
    CHECK(k.of(scan) == level::varying);
    CHECK(k.of(largest) == level::workgroup);
    CHECK(k.of(first) == level::subgroup);
    CHECK(k.of(moved) == level::varying);
    CHECK(k.of(same) == level::workgroup);
    CHECK(k.of(any) == level::subgroup);
}

TEST_CASE("Strides follow the arithmetic of the index") {
    lab k;
    const auto x = k.op(op::global_id, {}, 0), y = k.op(op::global_id, {}, 1), n = k.op(op::buffer_size, {}, 0);
    const auto i32 = k.scalar(scalar_kind::i32), u64 = k.scalar(scalar_kind::u64), u16 = k.scalar(scalar_kind::u16);
    const auto f32 = k.scalar(scalar_kind::f32);
    const auto row = k.op(op::mul, {y, n}), index = k.op(op::add, {row, x});
    const auto triple = k.op(op::mul, {k.u32(3), index}), shifted = k.op(op::shl, {x, k.u32(4)});
    const auto backwards = k.op(op::sub, {n, x}), negated = k.op(op::neg, {x}), squared = k.op(op::mul, {x, x});
    const auto by_n = k.op(op::mul, {x, n}), both = k.op(op::sub, {x, x}), masked = k.op(op::bit_and, {x, k.u32(3)});
    const auto wide = k.op(op::cast, {x}, 0, u64), wide_shift = k.op(op::cast, {k.op(op::sub, {x, k.u32(1)})}, 0, u64);
    const auto as_signed = k.op(op::cast, {backwards}, 0, i32),
               narrow = k.op(op::cast, {k.op(op::mul, {x, k.u32(0x1'0003)})}, 0, u16);
    const auto real = k.op(op::cast, {x}, 0, f32), chosen = k.op(op::select, {k.less(n, 7), index, shifted});
    const auto alike = k.op(op::select, {k.less(n, 7), x, index}), split = k.op(op::select, {k.less(x, 7), x, index});
    const auto pair = k.op(op::construct, {y, triple}, 0, ir::intern_vector(k.m, scalar_kind::u32, 2));
    const auto part = k.op(op::extract, {pair}, 1);
    const auto minus_one = k.op(op::mul, {x, k.u32(0xffff'ffff)});
    CHECK(k.stride(x) == 1);
    CHECK(k.stride(k.id) == 1);
    CHECK(k.stride(y) == 0);
    CHECK(k.stride(n) == 0);
    CHECK(k.stride(row) == 0);
    CHECK(k.stride(index) == 1);
    CHECK(k.stride(triple) == 3);
    CHECK(k.stride(shifted) == 16);
    CHECK(k.stride(backwards) == -1);
    CHECK(k.stride(negated) == -1);
    CHECK(k.stride(minus_one) == -1);
    CHECK(k.stride(squared) == std::nullopt);
    CHECK(k.stride(by_n) == std::nullopt);
    CHECK(k.stride(both) == 0);
    CHECK(k.stride(masked) == std::nullopt);
    CHECK(k.stride(wide) == 1);
    CHECK(k.stride(wide_shift) == std::nullopt);  // wraps at x = 0
    CHECK(k.stride(as_signed) == -1);
    CHECK(k.stride(narrow) == 3);
    CHECK(k.stride(real) == std::nullopt);
    CHECK(k.stride(chosen) == std::nullopt);
    CHECK(k.stride(alike) == 1);
    CHECK(k.stride(split) == std::nullopt);
    CHECK(k.stride(part) == 3);
}

TEST_CASE("Loops and loads have a stride where every lane takes the same steps") {
    lab k;
    const auto u32 = k.scalar(scalar_kind::u32);
    const auto x = k.op(op::global_id, {}, 0);
    const auto kept = k.local("kept", x), flat = k.local("flat", k.u32(4));
    const auto table = k.load(k.in, k.u32(3)), gathered = k.load(k.in, x), changing = k.load(k.inout, k.u32(3));
    const auto from_kept = k.get(kept), from_flat = k.get(flat);
    ir::value_id plain, moving, skipping;
    k.for_(k.u32(0), x, k.u32(1), [&](ir::value_id i) { plain = i; });
    k.for_(x, k.u32(99), k.u32(2), [&](ir::value_id i) { moving = i; });
    k.for_(k.u32(0), k.u32(99), k.op(op::add, {x, k.u32(1)}), [&](ir::value_id i) { skipping = i; });
    (void)u32;
    CHECK(k.stride(table) == 0);
    CHECK(k.stride(gathered) == std::nullopt);
    CHECK(k.stride(changing) == std::nullopt);
    CHECK(k.stride(from_kept) == std::nullopt);
    CHECK(k.stride(from_flat) == 0);
    CHECK(k.stride(plain) == 0);
    CHECK(k.stride(moving) == 1);
    CHECK(k.stride(skipping) == std::nullopt);
}
