// How to walk a module: the values that a value or statement reads, in the order that the canonical form uses, and
// the blocks that a statement owns, in program order. Never recurses by itself.
#pragma once

#include <variant>

#include "dsl/ir/effects.hpp"
#include "dsl/ir/module.hpp"

namespace quern::ir {

/// Builds one visitor from a lambda a statement kind; a kind without its lambda does not compile.
template <class... F>
struct overloaded : F... {
    using F::operator()...;
};
template <class... F>
overloaded(F...) -> overloaded<F...>;

/// Blocks may nest this deep; deeper ones are rejected by the validator, so that walks may recurse.
inline constexpr std::uint32_t max_block_depth = 512;

template <class F>
void for_each_index(const module& m, place_id p, F&& f) {
    for (const step& s : m.steps_of(p))
        if (s.kind == step::kind::index) f(s.index);
}

/// Calls f(value_id) for the indices of the place that v reads, then for its operands.
template <class F>
void for_each_operand(const module& m, value_id v, F&& f) {
    if (accesses_memory(m[v].op)) for_each_index(m, m.place_of(v), f);
    for (const value_id operand : m.operands_of(v)) f(operand);
}

/// Calls f(value_id) for what the statement itself reads, not for what its blocks read. The condition of a
/// while_statement is read after its head.
template <class F>
void for_each_use(const module& m, const statement& s, F&& f) {
    std::visit(overloaded{
                   [&](const define& d) { for_each_operand(m, d.value, f); },
                   [&](const store& t) {
                       for_each_index(m, t.place, f);
                       f(t.value);
                   },
                   [&](const if_statement& i) { f(i.condition); },
                   [&](const for_statement& l) {
                       f(l.first);
                       f(l.last);
                       f(l.step);
                   },
                   [&](const while_statement& l) { f(l.condition); },
                   [&](const switch_statement& w) { f(w.selector); },
                   [&](const assume& a) { f(a.condition); },
                   [](const declare&) {},
                   [](const break_statement&) {},
                   [](const continue_statement&) {},
                   [](const return_statement&) {},
                   [](const barrier&) {},
                   [](const fence&) {},
               },
               s);
}

/// Calls f(block_id) for each block that the statement owns.
template <class F>
void for_each_block(const module& m, const statement& s, F&& f) {
    if (const auto* i = std::get_if<if_statement>(&s)) {
        f(i->then_block);
        f(i->else_block);
    } else if (const auto* l = std::get_if<for_statement>(&s)) {
        f(l->body);
    } else if (const auto* w = std::get_if<while_statement>(&s)) {
        f(w->head);
        f(w->body);
    } else if (const auto* c = std::get_if<switch_statement>(&s)) {
        for (const switch_case& one : m.cases_of(*c)) f(one.body);
        f(c->default_block);
    }
}

/// break, continue and return: nothing after them in their block is reached.
inline bool is_jump(const statement& s) {
    return std::holds_alternative<break_statement>(s) || std::holds_alternative<continue_statement>(s) ||
           std::holds_alternative<return_statement>(s);
}

inline location_id location_of(const block& b, std::size_t statement) {
    return statement < b.locations.size() ? b.locations[statement] : location_id{};
}

inline location_id location_of(const module& m, value_id v) {
    return v.number < m.value_locations.size() ? m.value_locations[v.number] : location_id{};
}

}  // namespace quern::ir
