#include "jit/passes/block_cloner.hpp"

#include <utility>

#include "dsl/ir/importer.hpp"
#include "dsl/ir/traversal.hpp"
#include "jit/passes/fold_constants.hpp"

namespace quern::jit {

void block_cloner::append_copy(ir::block_id from, ir::block& to) {
    for (std::size_t i = 0; i < m_[from].statements.size(); ++i) {
        const ir::statement s = m_[from].statements[i];  // a copy: the arena of blocks may grow below
        const ir::location_id at = ir::location_of(m_[from], i);
        to.statements.push_back(copy(s));
        to.locations.push_back(at);
    }
}

void block_cloner::substitute(ir::value_id v, ir::value_id by) {
    if (values_.size() <= v.number) values_.resize(m_.values.size());
    values_[v.number] = by;
}

/// What is newer than the tables has no copy.
ir::value_id block_cloner::of(ir::value_id v) const {
    return v.number < values_.size() && values_[v.number] ? values_[v.number] : v;
}

ir::block_id block_cloner::copy(ir::block_id b) {
    if (!b) return b;
    ir::block made;
    append_copy(b, made);
    m_.blocks.push_back(std::move(made));
    return {static_cast<std::uint32_t>(m_.blocks.size() - 1)};
}

ir::value_id block_cloner::copy(ir::value_id v) {
    ir::value made = m_[v];
    if (ir::accesses_memory(made.op)) made.immediate = copy(m_.place_of(v)).number;
    const ir::slice old = made.operands;
    made.operands.first = static_cast<std::uint32_t>(m_.operands.size());
    for (std::uint32_t i = 0; i < old.count; ++i) m_.operands.push_back(of(m_.operands[old.first + i]));
    const ir::value_id added{static_cast<std::uint32_t>(m_.values.size())};
    m_.values.push_back(made);
    if (const ir::location_id at = ir::location_of(m_, v)) {
        m_.value_locations.resize(m_.values.size());
        m_.value_locations.back() = at;
    }
    ir::importer::copy_name(m_.value_names, v.number, m_.value_names, added.number);
    substitute(v, added);
    fold_exactly(m_, added);
    return added;
}

ir::variable_id block_cloner::copy(ir::variable_id v) {
    const ir::variable_id added{static_cast<std::uint32_t>(m_.variables.size())};
    m_.variables.push_back(ir::variable(m_[v]));
    ir::importer::copy_name(m_.variable_names, v.number, m_.variable_names, added.number);
    if (variables_.size() <= v.number) variables_.resize(m_.variables.size());
    return variables_[v.number] = added;
}

ir::place_id block_cloner::copy(ir::place_id p) {
    ir::place made = m_[p];
    if (made.root == ir::root_kind::variable && made.number < variables_.size() && variables_[made.number])
        made.number = variables_[made.number].number;
    const ir::slice old = made.steps;
    made.steps.first = static_cast<std::uint32_t>(m_.steps.size());
    for (std::uint32_t i = 0; i < old.count; ++i) {
        ir::step s = m_.steps[old.first + i];
        if (s.kind == ir::step::kind::index) s.index = of(s.index);
        m_.steps.push_back(s);
    }
    m_.places.push_back(made);
    return {static_cast<std::uint32_t>(m_.places.size() - 1)};
}

ir::statement block_cloner::copy(const ir::statement& s) {
    return std::visit(
        ir::overloaded{
            [&](const ir::define& d) -> ir::statement { return ir::define{copy(d.value)}; },
            [&](const ir::declare& d) -> ir::statement { return ir::declare{copy(d.variable)}; },
            [&](const ir::store& t) -> ir::statement { return ir::store{copy(t.place), of(t.value)}; },
            [&](const ir::if_statement& i) -> ir::statement {
                const ir::block_id then_block = copy(i.then_block);
                return ir::if_statement{of(i.condition), then_block, copy(i.else_block)};
            },
            [&](const ir::for_statement& l) -> ir::statement {
                const ir::value_id induction = copy(l.induction);
                return ir::for_statement{induction, of(l.first), of(l.last), of(l.step), copy(l.body)};
            },
            [&](const ir::while_statement& l) -> ir::statement {
                const ir::block_id head = copy(l.head);
                return ir::while_statement{head, of(l.condition), copy(l.body)};
            },
            [&](const ir::switch_statement& w) -> ir::statement {
                std::vector<ir::switch_case> cases(m_.cases_of(w).begin(), m_.cases_of(w).end());
                for (ir::switch_case& one : cases) one.body = copy(one.body);
                const ir::slice made{static_cast<std::uint32_t>(m_.cases.size()), w.cases.count};
                m_.cases.insert(m_.cases.end(), cases.begin(), cases.end());
                return ir::switch_statement{of(w.selector), made, copy(w.default_block)};
            },
            [&](const ir::assume& a) -> ir::statement { return ir::assume{of(a.condition)}; },
            [](const ir::break_statement& k) -> ir::statement { return k; },
            [](const ir::continue_statement& k) -> ir::statement { return k; },
            [](const ir::return_statement& k) -> ir::statement { return k; },
            [](const ir::barrier& k) -> ir::statement { return k; },
            [](const ir::fence& k) -> ir::statement { return k; },
        },
        s);
}

}  // namespace quern::jit
