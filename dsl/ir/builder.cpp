#include "dsl/ir/builder.hpp"

#include <utility>

#include "dsl/ir/effects.hpp"

namespace quern::ir {
namespace {

template <class T>
slice append_slice(std::vector<T>& pool, std::span<const T> items) {
    const slice s{static_cast<std::uint32_t>(pool.size()), static_cast<std::uint32_t>(items.size())};
    if (pool.capacity() < pool.size() + items.size() && !items.empty()) {
        // `items` may lie in the pool itself, as operands_of does: grow into a new one before the old one goes.
        std::vector<T> grown;
        grown.reserve(2 * (pool.size() + items.size()));
        grown.insert(grown.end(), pool.begin(), pool.end());
        grown.insert(grown.end(), items.begin(), items.end());
        pool = std::move(grown);
    } else {
        for (const T& item : items) pool.push_back(item);
    }
    return s;
}

/// What a place holds after one step into `t`, or none where there is no such part.
type_id step_into(const module& m, type_id t, const step& s) {
    if (t.is_none()) return {};
    const type& whole = m[t];
    switch (whole.kind) {
        case type_kind::vector: return whole.element;
        case type_kind::array: return s.kind == step::kind::index ? whole.element : type_id{};
        case type_kind::structure:
            return s.kind == step::kind::member && s.member < whole.count ? m.members_of(t)[s.member].type : type_id{};
        case type_kind::none:
        case type_kind::scalar: return {};
    }
    return {};
}

/// The natural type of ops whose rule is `given`, where operands and immediate leave only one.
type_id natural_type(module& m, op code, std::span<const value_id> operands, std::uint64_t immediate) {
    const auto number = static_cast<std::uint32_t>(immediate);
    if (accesses_memory(code)) return number < m.places.size() ? m.places[number].type : type_id{};
    if (code == op::parameter) return number < m.parameters.size() ? m.parameters[number].type : type_id{};
    if (is_leaf(code) && code != op::constant) return intern_scalar(m, scalar_kind::u32);
    if (code == op::subgroup_ballot) return intern_vector(m, scalar_kind::u32, 4);
    if (code == op::extract && operands.size() == 1) {
        const type& whole = m.type_of(operands[0]);
        if (whole.kind == type_kind::structure)
            return number < whole.count ? m.members_of(m[operands[0]].type)[number].type : type_id{};
        return whole.element;
    }
    if (code == op::swizzle && operands.size() == 1)
        return intern_vector(m, m.type_of(operands[0]).scalar, swizzle_count(immediate));
    return {};
}

}  // namespace

type_id result_type(module& m, op code, std::span<const value_id> operands) {
    const result_rule rule = info(code).result;
    if (rule == result_rule::none) return intern_none(m);
    if (rule == result_rule::given || operands.empty()) return {};
    const type_id first = m[operands.front()].type;
    switch (rule) {
        case result_rule::same: return first;
        case result_rule::last: return m[operands.back()].type;
        case result_rule::boolean:
            return m[first].kind == type_kind::vector ? intern_vector(m, scalar_kind::boolean, m[first].count)
                                                      : intern_scalar(m, scalar_kind::boolean);
        case result_rule::scalar: return m[first].element;
        case result_rule::given:
        case result_rule::none: break;
    }
    return {};
}

block_id builder::begin_block() {
    const block_id opened{static_cast<std::uint32_t>(module_.blocks.size())};
    module_.blocks.emplace_back();
    open_.push_back(opened);
    return opened;
}

block_id builder::end_block() {
    const block_id closed = open_.back();
    open_.pop_back();
    return closed;
}

value_id builder::make(op code, type_id type, std::span<const value_id> operands, std::uint64_t immediate) {
    const value_id made{static_cast<std::uint32_t>(module_.values.size())};
    module_.values.push_back({code, type, append_slice(module_.operands, operands), immediate});
    if (location_) {
        module_.value_locations.resize(module_.values.size());
        module_.value_locations.back() = location_;
    }
    return made;
}

value_id builder::define(op code, std::initializer_list<value_id> operands, std::uint64_t immediate, type_id type) {
    return define(code, std::span<const value_id>(operands.begin(), operands.size()), immediate, type);
}

value_id builder::define(op code, std::span<const value_id> operands, std::uint64_t immediate, type_id type) {
    if (type.is_none()) type = result_type(module_, code, operands);
    if (type.is_none()) type = natural_type(module_, code, operands, immediate);
    const value_id made = make(code, type, operands, immediate);
    append(ir::define{made});
    return made;
}

value_id builder::constant(scalar_kind k, std::uint64_t bits) {
    return define(op::constant, {}, bits, intern_scalar(module_, k));
}

parameter_id builder::add_parameter(parameter p) {
    module_.parameters.push_back(p);
    return {static_cast<std::uint32_t>(module_.parameters.size() - 1)};
}

variable_id builder::add_variable(variable v) {
    module_.variables.push_back(v);
    return {static_cast<std::uint32_t>(module_.variables.size() - 1)};
}

place_id builder::add_place(root_kind root, std::uint32_t number, std::span<const step> steps) {
    const bool buffer = root == root_kind::parameter;
    type_id type = buffer ? module_.parameters[number].type : module_.variables[number].type;
    // A buffer's first index selects an element and leaves the parameter's type as it is.
    for (const step& s : steps.subspan(buffer && !steps.empty() ? 1 : 0)) type = step_into(module_, type, s);
    module_.places.push_back({root, number, type, append_slice(module_.steps, steps)});
    return {static_cast<std::uint32_t>(module_.places.size() - 1)};
}

value_id builder::load(place_id p) { return define(op::load, {}, p.number); }

void builder::append(statement s) {
    block& b = module_[open_.back()];
    b.statements.push_back(std::move(s));
    b.locations.push_back(location_);
}

void builder::append_switch(value_id selector, std::span<const switch_case> cases, block_id default_block) {
    append(switch_statement{selector, append_slice(module_.cases, cases), default_block});
}

}  // namespace quern::ir
