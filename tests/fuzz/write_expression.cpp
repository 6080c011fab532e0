#include <algorithm>

#include "dsl/ir/evaluate.hpp"
#include "tests/fuzz/kernel_writer.hpp"

namespace quern::fuzz {

using ir::op;
using ir::operand_rule;
using ir::scalar_kind;

namespace {

constexpr shape u32{scalar_kind::u32, 1};

/// The result of an op from its cell.
shape ruled_result(const cell& c) {
    switch (ir::info(c.op).result) {
        case ir::result_rule::same: return c.operand;
        case ir::result_rule::last: return c.result;
        case ir::result_rule::boolean: return c.operand.with(scalar_kind::boolean);
        case ir::result_rule::scalar: return c.operand.component();
        case ir::result_rule::given: case ir::result_rule::none: break;
    }
    return ir::info(c.op).operands == operand_rule::component ? c.operand.component() : c.result;
}

}  // namespace

ir::value_id kernel_writer::emit(op code, std::span<const ir::value_id> operands, shape result, std::uint64_t immediate,
                                 level at_least) {
    const ir::type_id type = result.kind == scalar_kind::none ? ir::intern_none(m()) : intern(m(), result);
    for (const ir::value_id v : operands) {
        at_least = std::max(at_least, level_of(v));
        for (auto k = known_.rbegin(); k != known_.rend(); ++k)
            if (k->id == v) { k->used = true; break; }
    }
    const ir::value_id v = builder_.define(code, operands, immediate, type);
    levels_.resize(m().values.size(), at_least);
    return v;
}

ir::value_id kernel_writer::emit(op code, std::initializer_list<ir::value_id> operands, shape result,
                                 std::uint64_t immediate, level at_least) {
    return emit(code, std::span(operands.begin(), operands.size()), result, immediate, at_least);
}

ir::value_id kernel_writer::remember(ir::value_id v) {
    known_.push_back({v, shape_of(m(), v), m()[v].op == op::constant});
    return v;
}

ir::value_id kernel_writer::number(std::uint64_t n, scalar_kind k) {
    const ir::value_id v = builder_.constant(k, n);
    levels_.resize(m().values.size(), level::workgroup);
    return v;
}

ir::value_id kernel_writer::filled(shape s, std::uint64_t component_bits) {
    const ir::value_id component = number(component_bits, s.kind);
    if (s.width == 1) return component;
    return emit(op::construct, std::vector(s.width, component), s);
}

ir::value_id kernel_writer::interesting_constant(shape s) {
    if (s.width == 1 || random_.chance(40)) return filled(s, interesting_bits(random_, s.kind));
    std::vector<ir::value_id> components;
    for (std::uint32_t i = 0; i < s.width; ++i) components.push_back(number(interesting_bits(random_, s.kind), s.kind));
    return emit(op::construct, components, s);
}

/// Replaces NaN components by zero: what looks at the bits must not see a NaN's.
ir::value_id kernel_writer::without_nan(ir::value_id v) {
    const shape s = shape_of(m(), v);
    const ir::value_id ordered = emit(op::eq, {v, v}, s.with(scalar_kind::boolean));
    return emit(op::select, {ordered, v, filled(s, 0)}, s);
}

shape kernel_writer::random_shape() {
    const scalar_kind k = random_.pick(options_.kinds);
    return {k, random_.chance(55) ? 1 : static_cast<std::uint32_t>(random_.between(2, 4))};
}

level kernel_writer::random_limit() {
    const unsigned roll = static_cast<unsigned>(random_.below(100));
    return roll < 30 ? level::workgroup : roll < 38 ? level::subgroup : level::varying;
}

bool kernel_writer::in_palette(shape s) const { return std::ranges::find(palette_, s) != palette_.end(); }

std::optional<ir::value_id> kernel_writer::pick_known(shape s, level limit) {
    std::vector<std::size_t> unused, all;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (known_[i].type != s || level_of(known_[i].id) > limit) continue;
        all.push_back(i);
        if (!known_[i].used) unused.push_back(i);
    }
    if (all.empty()) return std::nullopt;
    const bool prefer_unused = !unused.empty() && random_.chance(65);
    return known_[random_.pick(prefer_unused ? unused : all)].id;
}

ir::value_id kernel_writer::pick_or_constant(shape s, level limit) {
    if (const auto v = pick_known(s, limit)) return *v;
    return random_.chance(50) || (aliases_ && limit < level::varying) ? interesting_constant(s) : load_input(s, limit);
}

ir::value_id kernel_writer::pick(shape s, level limit) {
    if (random_.chance(88))
        if (const auto v = pick_known(s, limit)) return *v;
    return remember(fresh(s, limit));
}

ir::value_id kernel_writer::fresh(shape s, level limit) {
    const unsigned roll = static_cast<unsigned>(random_.below(100));
    // A constant condition leaves code that nobody reaches.
    if (roll < (s == shape{scalar_kind::boolean, 1} ? 3 : 22)) return interesting_constant(s);
    if (roll < 32) return value_parameter(s);
    if (roll < 42)
        if (const auto v = load_local(s, limit)) return *v;
    if (roll < 50 && open_exchanges_ > 0)
        for (const exchanged& e : exchanged_)
            if (e.now == exchanged::phase::readable && e.element == s && limit == level::varying) return load_exchanged(e, limit);
    if (s.kind == scalar_kind::boolean && roll < 85) {
        const scalar_kind k = random_.pick(options_.kinds);
        const shape compared = s.with(k);
        const ir::value_id a = pick_or_constant(compared, limit);
        const ir::value_id b = random_.chance(40) ? interesting_constant(compared) : pick_or_constant(compared, limit);
        constexpr std::array relations{op::lt, op::le, op::gt, op::ge, op::ne, op::eq};
        const bool ordered = ir::is_arithmetic(k);
        return emit(ordered ? random_.pick(relations) : relations[4 + random_.below(2)], {a, b}, s);
    }
    if (roll < 65 && s.width > 1) {
        std::vector<ir::value_id> components;
        for (std::uint32_t i = 0; i < s.width; ++i) components.push_back(pick_or_constant(s.component(), limit));
        return emit(op::construct, components, s);
    }
    if (roll < 72) {
        std::vector<ir::value_id> castable;
        for (const known& k : known_)
            if (k.type.width == s.width && k.type != s && level_of(k.id) <= limit) castable.push_back(k.id);
        if (!castable.empty()) return emit(op::cast, {random_.pick(castable)}, s);
    }
    return aliases_ && limit < level::varying ? value_parameter(s) : load_input(s, limit);
}

bool kernel_writer::usable(const cell& c) const {
    switch (ir::info(c.op).effect) {
        case ir::effect::pure: return ir::info(c.op).operands != operand_rule::none;
        case ir::effect::load: return false;  // written where memory is
        case ir::effect::atomic: return true;
        case ir::effect::convergent: return subgroups_ && control() <= level::subgroup;
    }
    return false;
}

void kernel_writer::write_expression() {
    const level limit = random_limit();
    for (std::uint64_t count = random_.between(1, 4); count-- > 0;) {
        const shape about = !known_.empty() && random_.chance(75) ? random_.pick(known_).type : random_shape();
        const std::vector<cell>& cells = cells_of_[about];
        // Conversions outnumber arithmetic, and a function with an error bound ends a chain: draw those less often.
        for (int attempt = 0; attempt < 8; ++attempt) {
            const cell& c = random_.pick(cells);
            if (!usable(c)) continue;
            if (c.result.kind != scalar_kind::none && !in_palette(c.result) && random_.chance(75)) continue;
            if (!ir::is_exact(c.op) && ir::info(c.op).effect == ir::effect::pure && random_.chance(75)) continue;
            write_cell(c, limit);
            break;
        }
    }
}

void kernel_writer::write_cell(const cell& c, level limit) {
    const ir::op_info& facts = ir::info(c.op);
    if (facts.effect == ir::effect::convergent) return store_plain(write_lane_cell(c));
    const auto operand = [&](std::size_t i) {
        const ir::value_id v = pick(c.operand, limit);
        if (c.op == op::copysign && i == 1) return without_nan(v);
        // lgamma has no bound where it crosses zero, below -2.26.
        if (c.op == op::lgamma) return emit(op::max, {v, filled(c.operand, float_bits(c.operand.kind, 9, -2, true))}, c.operand);
        return v;
    };
    std::vector<ir::value_id> operands;
    std::uint64_t immediate = 0;
    switch (facts.operands) {
        case operand_rule::none: {
            const ir::value_id v = write_leaf(c, limit);
            if (v) store_plain(v);
            return;
        }
        case operand_rule::arithmetic: case operand_rule::integral: case operand_rule::floating:
        case operand_rule::bits: case operand_rule::any:
            for (std::size_t i = 0; i < static_cast<std::size_t>(facts.arity); ++i) operands.push_back(operand(i));
            break;
        case operand_rule::selection:
            operands = {operand(0)};
            for (int i = 0; i < 2; ++i) operands.push_back(pick(c.result, limit));
            break;
        case operand_rule::conversion: operands = {operand(0)}; break;
        case operand_rule::reinterpret:
            operands = {operand(0)};
            if (ir::is_float(c.operand.kind)) operands[0] = without_nan(operands[0]);
            break;
        case operand_rule::components:
            for (std::uint32_t i = 0; i < c.result.width; ++i)
                operands.push_back(pick(c.result.component(), limit));
            break;
        case operand_rule::component:
            operands = {operand(0)};
            immediate = random_.below(c.operand.width);
            break;
        case operand_rule::replacement:
            operands = {operand(0), pick(c.operand.component(), limit)};
            immediate = random_.below(c.operand.width);
            break;
        case operand_rule::dynamic: {
            operands = {operand(0), below(c.operand.width, limit)};
            if (c.result != u32) operands[1] = emit(op::cast, {operands[1]}, c.result);
            break;
        }
        case operand_rule::lanes:
            operands = {operand(0)};
            immediate = std::uint64_t{15} << (4 * c.result.width);
            for (std::uint32_t i = 0; i < c.result.width; ++i) immediate |= random_.below(c.operand.width) << (4 * i);
            break;
        case operand_rule::boolean: case operand_rule::lane_value: case operand_rule::lane_select: return;  // convergent
        case operand_rule::atomic: {
            const ir::value_id v = write_owned_atomic(c);
            if (v) remember(v);
            return;
        }
    }
    const ir::value_id v = emit(c.op, operands, ruled_result(c), immediate);
    if (ir::is_exact(c.op)) {
        remember(v);
        if (!assigned_.empty()) store_plain(v);
    } else store_output(c, v);
}

/// Ops without operands. None: there is no result to keep.
ir::value_id kernel_writer::write_leaf(const cell& c, level limit) {
    switch (c.op) {
        case op::constant: {
            const ir::value_id v = number(interesting_bits(random_, c.result.kind), c.result.kind);
            return v;
        }
        case op::parameter: return value_parameter(c.result);
        case op::buffer_size: return emit(op::buffer_size, {}, u32, input_for(random_shape()).parameter);
        case op::induction: write_for(c.result.kind); return {};
        case op::load: return load_input(c.result, aliases_ ? level::varying : limit);
        case op::uniform_load: write_exchange(c.result); return {};
        case op::global_id: return global_[0];
        case op::local_id: return emit(c.op, {}, u32, random_.below(3), level::varying);
        case op::subgroup_lane: return emit(c.op, {}, u32, 0, level::varying);
        case op::subgroup_id: return emit(c.op, {}, u32, 0, level::subgroup);
        case op::extent: return emit(c.op, {}, u32, random_.below(m().launch == ir::launch_kind::tiles ? 2 : 3));
        case op::workgroup_id: case op::workgroup_count: return emit(c.op, {}, u32, random_.below(3));
        case op::subgroup_size: case op::subgroup_count: return emit(c.op, {}, u32);
        default: return {};  // has operands
    }
}

/// What lanes exchange, so that the order in which lanes combine does not matter and no absent lane is read.
ir::value_id kernel_writer::write_lane_cell(const cell& c) {
    const shape s = c.operand;
    const auto size = [&] { return emit(op::subgroup_size, {}, u32); };
    const auto lane = [&] { return emit(op::subgroup_lane, {}, u32, 0, level::varying); };
    const auto uniform_below_size = [&] {
        const ir::value_id any = pick_or_constant(u32, level::workgroup);
        return emit(op::bit_and, {any, emit(op::sub, {size(), number(1)}, u32)}, u32);
    };
    /// Floats whose sum or product is exact in any order.
    const auto exact_sum = [&](ir::value_id v) {
        if (!ir::is_float(s.kind)) return v;
        const shape counted = s.with(scalar_kind::u32);
        const ir::value_id bits = pick(counted, level::varying);
        const ir::value_id small = emit(op::bit_and, {bits, filled(counted, 7)}, counted);
        return emit(op::cast, {small}, s);
    };
    const auto exact_product = [&](ir::value_id v) {
        if (!ir::is_float(s.kind)) return v;
        const ir::value_id condition = pick(s.with(scalar_kind::boolean), level::varying);
        return emit(op::select, {condition, filled(s, float_bits(s.kind, 1, 1)), filled(s, float_bits(s.kind, 1, -1, true))}, s);
    };
    ir::value_id v = pick(s, level::varying);
    switch (c.op) {
        case op::subgroup_mul: v = exact_product(v); break;
        case op::subgroup_add: case op::subgroup_inclusive_add: case op::subgroup_exclusive_add: v = exact_sum(v); break;
        default: break;
    }
    /// What every lane gets alike, however different the operands are.
    const auto emit_alike = [&](std::initializer_list<ir::value_id> operands, shape result) {
        const ir::value_id r = emit(c.op, operands, result);
        levels_[r.number] = level::subgroup;
        return remember(r);
    };
    switch (c.op) {
        case op::subgroup_add: case op::subgroup_mul: case op::subgroup_min: case op::subgroup_max:
        case op::subgroup_and: case op::subgroup_or: case op::subgroup_xor: case op::subgroup_any:
        case op::subgroup_all: return emit_alike({v}, s);
        case op::subgroup_ballot: return emit_alike({v}, {scalar_kind::u32, 4});
        case op::subgroup_broadcast: return emit_alike({v, uniform_below_size()}, s);
        case op::subgroup_inclusive_add: case op::subgroup_exclusive_add:
            return remember(emit(c.op, {v}, s, 0, level::varying));
        case op::subgroup_shuffle: {
            const ir::value_id any = pick(u32, level::varying);
            const ir::value_id from = emit(op::bit_and, {any, emit(op::sub, {size(), number(1)}, u32)}, u32);
            return remember(emit(c.op, {v, from}, s, 0, level::varying));
        }
        case op::subgroup_shuffle_xor: return remember(emit(c.op, {v, uniform_below_size()}, s, 0, level::varying));
        case op::subgroup_shuffle_up: case op::subgroup_shuffle_down: {
            const ir::value_id delta = uniform_below_size();
            const ir::value_id moved = emit(c.op, {v, delta}, s, 0, level::varying);
            const ir::value_id exists =
                c.op == op::subgroup_shuffle_up
                    ? emit(op::ge, {lane(), delta}, {scalar_kind::boolean, 1})
                    : emit(op::lt, {emit(op::add, {lane(), delta}, u32), size()}, {scalar_kind::boolean, 1});
            return remember(emit(op::select, {exists, moved, v}, s));
        }
        default: return v;  // not an exchange between lanes
    }
}

}  // namespace quern::fuzz
