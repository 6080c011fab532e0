#include "tests/fuzz/cell.hpp"

#include <fmt/format.h>

#include <array>

#include "dsl/ir/builder.hpp"

namespace quern::fuzz {

using ir::op;
using ir::operand_rule;
using ir::scalar_kind;

shape shape_of(const ir::type& t) {
    switch (t.kind) {
        case ir::type_kind::scalar: return {t.scalar, 1};
        case ir::type_kind::vector: return {t.scalar, t.count};
        case ir::type_kind::none: case ir::type_kind::array: case ir::type_kind::structure: break;
    }
    return {};
}

shape shape_of(const ir::module& m, ir::value_id v) { return shape_of(m.type_of(v)); }

ir::type_id intern(ir::module& m, shape s) {
    return s.width == 1 ? ir::intern_scalar(m, s.kind) : ir::intern_vector(m, s.kind, s.width);
}

std::string to_string(shape s) {
    return s.width == 1 ? std::string(ir::name(s.kind)) : fmt::format("vec{}<{}>", s.width, ir::name(s.kind));
}

std::string to_string(const cell& c) {
    std::string text(ir::info(c.op).name);
    if (c.operand.kind != scalar_kind::none) text += " " + to_string(c.operand);
    if (c.result.kind != scalar_kind::none) text += " -> " + to_string(c.result);
    return text;
}

std::span<const scalar_kind> default_kinds() {
    static constexpr std::array kinds{scalar_kind::boolean, scalar_kind::i8,  scalar_kind::i16,  scalar_kind::i32, scalar_kind::i64,
                                      scalar_kind::u8,      scalar_kind::u16, scalar_kind::u32,  scalar_kind::u64, scalar_kind::f16,
                                      scalar_kind::bf16,    scalar_kind::f32, scalar_kind::f64};
    return kinds;
}

namespace {

/// Whether operand 0 may be of this kind.
bool accepts(operand_rule rule, scalar_kind k) {
    switch (rule) {
        case operand_rule::none: return false;
        case operand_rule::arithmetic: case operand_rule::lane_value: return ir::is_arithmetic(k);
        case operand_rule::integral: return ir::is_integer(k);
        case operand_rule::floating: return ir::is_float(k);
        case operand_rule::bits: return ir::is_integer(k) || k == scalar_kind::boolean;
        case operand_rule::reinterpret: return k != scalar_kind::boolean;
        case operand_rule::atomic: return ir::is_integer(k) && ir::size_bytes(k) >= 4;
        case operand_rule::selection: case operand_rule::boolean: return k == scalar_kind::boolean;
        case operand_rule::any: case operand_rule::conversion: case operand_rule::components:
        case operand_rule::component: case operand_rule::replacement: case operand_rule::dynamic:
        case operand_rule::lanes: case operand_rule::lane_select: return true;
    }
    return false;
}

/// Types of an op without operands.
std::vector<shape> leaf_shapes(op code, std::span<const shape> shapes) {
    const auto those = [&](auto&& wanted) {
        std::vector<shape> result;
        for (const shape s : shapes)
            if (wanted(s)) result.push_back(s);
        return result;
    };
    if (code == op::constant) return those([](shape s) { return s.width == 1; });
    if (code == op::induction)  // an index
        return those([](shape s) { return s.width == 1 && ir::is_integer(s.kind) && ir::size_bytes(s.kind) >= 4; });
    if (code == op::parameter || ir::info(code).effect == ir::effect::load) return those([](shape) { return true; });
    return {{scalar_kind::u32, 1}};  // positions and sizes
}

}  // namespace

std::vector<cell> enumerate_cells(std::span<const scalar_kind> kinds) {
    std::vector<shape> shapes;
    for (const scalar_kind k : kinds)
        for (std::uint32_t width = 1; width <= 4; ++width) shapes.push_back({k, width});

    std::vector<cell> cells;
    for (std::size_t number = 0; number < ir::op_count; ++number) {
        const op code = static_cast<op>(number);
        const operand_rule rule = ir::info(code).operands;
        if (rule == operand_rule::none) {
            for (const shape s : leaf_shapes(code, shapes)) cells.push_back({code, {}, s});
            continue;
        }
        for (const shape s : shapes) {
            if (!accepts(rule, s.kind)) continue;
            switch (rule) {
                case operand_rule::none: break;
                case operand_rule::arithmetic: case operand_rule::integral: case operand_rule::floating:
                case operand_rule::bits: case operand_rule::any: case operand_rule::lane_value:
                case operand_rule::lane_select: cells.push_back({code, s, {}}); break;
                case operand_rule::boolean: case operand_rule::atomic:
                    if (s.width == 1) cells.push_back({code, s, {}});
                    break;
                case operand_rule::selection:
                    for (const shape chosen : shapes)
                        if (s.width == 1 || s.width == chosen.width) cells.push_back({code, s, chosen});
                    break;
                case operand_rule::conversion:
                    for (const shape to : shapes)
                        if (to.width == s.width) cells.push_back({code, s, to});
                    break;
                case operand_rule::reinterpret:
                    for (const shape to : shapes)
                        if (accepts(rule, to.kind) && size_bytes(to) == size_bytes(s)) cells.push_back({code, s, to});
                    break;
                case operand_rule::components:
                    if (s.width > 1) cells.push_back({code, {}, s});
                    break;
                case operand_rule::component: case operand_rule::replacement:
                    if (s.width > 1) cells.push_back({code, s, {}});
                    break;
                case operand_rule::dynamic:
                    if (s.width > 1)
                        for (const scalar_kind index : {scalar_kind::u32, scalar_kind::i32})
                            cells.push_back({code, s, {index, 1}});
                    break;
                case operand_rule::lanes:
                    if (s.width > 1)
                        for (std::uint32_t width = 2; width <= 4; ++width) cells.push_back({code, s, {s.kind, width}});
                    break;
            }
        }
    }
    return cells;
}

std::optional<cell> cell_of(const ir::module& m, ir::value_id v) {
    const ir::value& record = m[v];
    const auto operands = m.operands_of(v);
    const shape result = shape_of(m, v);
    const auto operand = [&](std::size_t i) { return shape_of(m, operands[i]); };
    cell c{record.op, {}, {}};
    switch (ir::info(record.op).operands) {
        case operand_rule::none: c.result = result; break;
        case operand_rule::arithmetic: case operand_rule::integral: case operand_rule::floating:
        case operand_rule::bits: case operand_rule::any: case operand_rule::component:
        case operand_rule::replacement: case operand_rule::boolean: case operand_rule::lane_value:
        case operand_rule::lane_select: c.operand = operand(0); break;
        case operand_rule::selection: case operand_rule::conversion: case operand_rule::reinterpret:
        case operand_rule::lanes: c.operand = operand(0), c.result = result; break;
        case operand_rule::components: c.result = result; break;
        case operand_rule::dynamic: c.operand = operand(0), c.result = operand(1); break;
        case operand_rule::atomic: c.operand = shape_of(m[m[m.place_of(v)].type]); break;
    }
    if (c.operand.kind == scalar_kind::none && c.result.kind == scalar_kind::none) return std::nullopt;
    return c;
}

}  // namespace quern::fuzz
