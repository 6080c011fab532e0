#include "tests/fuzz/kernel_edits.hpp"

#include <algorithm>

#include "dsl/ir/builder.hpp"

namespace quern::fuzz {

using ir::op;

namespace {

bool is_shared(const ir::module& m, const ir::place& p) {
    return p.root == ir::root_kind::variable && m.variables[p.number].storage == ir::storage::shared;
}

/// Calls f for the blocks that a statement holds itself.
template <class F>
void for_each_inner_block(const ir::module& m, const ir::statement& s, F&& f) {
    const auto one = [&](ir::block_id b) {
        if (b) f(b);
    };
    if (const auto* i = std::get_if<ir::if_statement>(&s)) one(i->then_block), one(i->else_block);
    else if (const auto* l = std::get_if<ir::for_statement>(&s)) one(l->body);
    else if (const auto* w = std::get_if<ir::while_statement>(&s)) one(w->head), one(w->body);
    else if (const auto* c = std::get_if<ir::switch_statement>(&s)) {
        for (const ir::switch_case& x : m.cases_of(*c)) one(x.body);
        one(c->default_block);
    }
}

/// Calls f for every block below (and with) `b`, outer ones first.
template <class F>
void for_each_block(const ir::module& m, ir::block_id b, F&& f) {
    if (b.is_none()) return;
    f(b);
    for (const ir::statement& s : m[b].statements)
        for_each_inner_block(m, s, [&](ir::block_id inner) { for_each_block(m, inner, f); });
}

/// Calls f with a reference to every value id that a statement uses itself, not through a place.
template <class Statement, class F>
void for_each_use(Statement& s, F&& f) {
    if (auto* d = std::get_if<ir::store>(&s)) f(d->value);
    else if (auto* i = std::get_if<ir::if_statement>(&s)) f(i->condition);
    else if (auto* l = std::get_if<ir::for_statement>(&s)) f(l->first), f(l->last), f(l->step);
    else if (auto* w = std::get_if<ir::while_statement>(&s)) f(w->condition);
    else if (auto* c = std::get_if<ir::switch_statement>(&s)) f(c->selector);
    else if (auto* a = std::get_if<ir::assume>(&s)) f(a->condition);
}

bool touches_memory(const ir::module& m, ir::value_id v) {
    const ir::effect e = ir::info(m[v].op).effect;
    return e == ir::effect::load || e == ir::effect::atomic;
}

/// The place that a statement reads or writes, or none.
ir::place_id place_of(const ir::module& m, const ir::statement& s) {
    if (const auto* stored = std::get_if<ir::store>(&s)) return stored->place;
    const auto* d = std::get_if<ir::define>(&s);
    return d != nullptr && touches_memory(m, d->value) ? m.place_of(d->value) : ir::place_id{};
}

/// Whether the statement, or one in it, fills shared memory.
bool fills_shared(const ir::module& m, const ir::statement& s) {
    const auto* stored = std::get_if<ir::store>(&s);
    bool fills = stored != nullptr && is_shared(m, m[stored->place]);
    for_each_inner_block(m, s, [&](ir::block_id b) {
        for (const ir::statement& inner : m[b].statements) fills = fills || fills_shared(m, inner);
    });
    return fills;
}

class examiner {
public:
    explicit examiner(const ir::module& m) : m_(m) {
        facts_.used.resize(m.values.size());
        facts_.frozen.resize(m.values.size());
        facts_.loads.resize(m.variables.size());
        facts_.reads.resize(m.parameters.size());
        for_each_block(m, m.body, [&](ir::block_id b) {
            facts_.blocks.push_back(b);
            for (const ir::statement& s : m[b].statements) examine(s);
        });
    }
    kernel_facts take() { return std::move(facts_); }

private:
    void examine(const ir::statement& s) {
        const bool decides = !std::holds_alternative<ir::store>(s) && fills_shared(m_, s);
        for_each_use(s, [&](ir::value_id v) {
            facts_.used[v.number] = true;
            if (decides) freeze(v);  // who fills it
        });
        const auto* d = std::get_if<ir::define>(&s);
        if (const ir::place_id p = place_of(m_, s)) examine_place(m_[p], d);
        if (const auto* a = std::get_if<ir::assume>(&s)) freeze(a->condition);
        if (d == nullptr) return;
        const auto operands = m_.operands_of(d->value);
        for (const ir::value_id v : operands) facts_.used[v.number] = true;
        const op code = m_[d->value].op;
        if (ir::info(code).effect == ir::effect::convergent && operands.size() > 1) freeze(operands[1]);
        if ((code == op::bit_cast || code == op::copysign) && ir::is_float(m_.type_of(operands.back()).scalar))
            freeze_guard(operands.back());
        const auto moves = [&](ir::value_id v) {
            return m_[v].op == op::subgroup_shuffle_up || m_[v].op == op::subgroup_shuffle_down;
        };
        if (code == op::select && std::ranges::any_of(operands, moves)) {
            facts_.frozen[d->value.number] = true;
            freeze(operands[0]);
        }
    }

    void examine_place(const ir::place& p, const ir::define* reading) {
        const bool own_variable = p.root == ir::root_kind::variable && !is_shared(m_, p);
        const bool only_reads = reading != nullptr && ir::info(m_[reading->value].op).effect == ir::effect::load;
        if (reading != nullptr) ++(p.root == ir::root_kind::variable ? facts_.loads : facts_.reads)[p.number];
        if (is_shared(m_, p) && reading != nullptr) facts_.exchanges = true;
        if (p.root == ir::root_kind::parameter && only_reads && m_.parameters[p.number].access == ir::access::read_write)
            facts_.exchanges = true;
        for (const ir::step& s : std::span<const ir::step>(m_.steps).subspan(p.steps.first, p.steps.count)) {
            if (s.kind != ir::step::kind::index) continue;
            facts_.used[s.index.number] = true;
            if (!own_variable && !only_reads) freeze(s.index);
        }
    }

    void freeze(ir::value_id v) {
        if (facts_.frozen[v.number]) return;
        facts_.frozen[v.number] = true;
        for (const ir::value_id operand : m_.operands_of(v)) freeze(operand);
    }

    /// select(x == x, x, 0): the choice and its condition, not x.
    void freeze_guard(ir::value_id v) {
        facts_.frozen[v.number] = true;
        if (m_[v].op == op::select) facts_.frozen[m_.operands_of(v)[0].number] = true;
    }

    const ir::module& m_;
    kernel_facts facts_;
};

/// By value: defined in a reached block.
std::vector<bool> find_defined(const ir::module& m, const kernel_facts& facts) {
    std::vector<bool> defined(m.values.size());
    for (const ir::block_id b : facts.blocks)
        for (const ir::statement& s : m[b].statements) {
            if (const auto* d = std::get_if<ir::define>(&s)) defined[d->value.number] = true;
            if (const auto* l = std::get_if<ir::for_statement>(&s)) defined[l->induction.number] = true;
        }
    return defined;
}

/// Gives what is used but defined nowhere a definition as zero, at the front of the body. False if it cannot be zero.
bool define_lost_values(ir::module& m) {
    const kernel_facts facts = examine(m);
    const std::vector<bool> defined = find_defined(m, facts);
    std::vector<ir::statement> front;
    for (std::uint32_t n = 0; n < defined.size(); ++n) {
        if (defined[n] || !facts.used[n]) continue;
        const ir::type t = m[m.values[n].type];
        if (facts.frozen[n]) return false;
        if (t.kind == ir::type_kind::scalar) m.values[n] = {op::constant, m.values[n].type, {}, 0};
        else if (t.kind == ir::type_kind::vector) {
            const auto zero = static_cast<std::uint32_t>(m.values.size());
            m.values.push_back({op::constant, t.element, {}, 0});
            m.values[n] = {op::construct, m.values[n].type, {static_cast<std::uint32_t>(m.operands.size()), t.count}, 0};
            m.operands.insert(m.operands.end(), t.count, ir::value_id{zero});
            front.push_back(ir::define{{zero}});
        } else return false;
        front.push_back(ir::define{{n}});
    }
    ir::block& body = m[m.body];
    body.statements.insert(body.statements.begin(), front.begin(), front.end());
    body.locations.assign(body.statements.size(), {});
    return true;
}

/// True if nothing touches memory between this barrier and one before it in the block.
bool repeats_barrier(const ir::module& m, const ir::block& b, std::size_t at) {
    while (at-- > 0) {
        if (std::holds_alternative<ir::barrier>(b.statements[at])) return true;
        const auto* d = std::get_if<ir::define>(&b.statements[at]);
        if (d == nullptr || touches_memory(m, d->value)) return false;
    }
    return false;
}

/// Whether the statement gives a variable that is still read its first content, or orders what goes between invocations.
bool is_needed(const ir::module& m, const kernel_facts& facts, const ir::block& b, std::size_t at) {
    const ir::statement& s = b.statements[at];
    bool inside = false;
    for_each_inner_block(m, s, [&](ir::block_id inner) {
        for (std::size_t i = 0; i < m[inner].statements.size(); ++i) inside = inside || is_needed(m, facts, m[inner], i);
    });
    if (inside) return true;
    if (std::holds_alternative<ir::barrier>(s)) return facts.exchanges && !repeats_barrier(m, b, at);
    if (const auto* d = std::get_if<ir::declare>(&s)) return facts.loads[d->variable.number] > 0;
    const auto* stored = std::get_if<ir::store>(&s);
    if (stored == nullptr) return false;
    const ir::place& p = m[stored->place];
    if (p.root == ir::root_kind::parameter)
        return facts.exchanges && facts.reads[p.number] > 0;
    if (facts.loads[p.number] == 0) return false;
    if (is_shared(m, p)) return true;
    // The stores that follow the declaration.
    for (std::size_t i = at; i-- > 0;) {
        if (const auto* d = std::get_if<ir::declare>(&b.statements[i])) return d->variable.number == p.number;
        const auto* other = std::get_if<ir::store>(&b.statements[i]);
        if (std::holds_alternative<ir::define>(b.statements[i])) continue;
        if (other == nullptr || m[other->place].root != p.root || m[other->place].number != p.number) return false;
    }
    return false;
}

}  // namespace

kernel_facts examine(const ir::module& m) { return examiner(m).take(); }

bool remove_statements(ir::module& m, ir::block_id b, std::size_t first, std::size_t count) {
    const ir::block whole = m[b];
    const std::size_t last = std::min(first + count, whole.statements.size());
    std::vector<bool> stays(whole.statements.size(), true);
    for (std::size_t i = first; i < last; ++i) stays[i] = false;
    const auto rebuild = [&] {
        ir::block& block = m[b];
        block.statements.clear();
        for (std::size_t i = 0; i < stays.size(); ++i)
            if (stays[i]) block.statements.push_back(whole.statements[i]);
        block.locations.assign(block.statements.size(), {});
    };
    // What stays may need more to stay: judged without the reads that go, a variable that only they read need not be
    // filled; what is frozen keeps its definition.
    for (bool changed = true; changed;) {
        rebuild();
        changed = false;
        const kernel_facts left = examine(m);
        for (std::size_t i = last; i-- > first;) {
            const auto* d = std::get_if<ir::define>(&whole.statements[i]);
            const bool frozen = d != nullptr && left.used[d->value.number] && left.frozen[d->value.number];
            if (stays[i] || !(frozen || is_needed(m, left, whole, i))) continue;
            stays[i] = changed = true;
        }
    }
    return m[b].statements.size() < whole.statements.size() && define_lost_values(m);
}

std::size_t ways_to_unwrap(const ir::module& m, ir::block_id b, std::size_t at) {
    const ir::statement& s = m[b].statements[at];
    if (const auto* i = std::get_if<ir::if_statement>(&s)) return m[i->else_block].statements.empty() ? 1 : 2;
    if (const auto* c = std::get_if<ir::switch_statement>(&s)) return m.cases_of(*c).size() + (c->default_block ? 1 : 0);
    return std::holds_alternative<ir::for_statement>(s) || std::holds_alternative<ir::while_statement>(s) ? 1 : 0;
}

void unwrap(ir::module& m, ir::block_id b, std::size_t at, std::size_t way) {
    const ir::statement s = m[b].statements[at];
    std::vector<ir::statement> inside;
    const auto append = [&](ir::block_id from) {
        if (from) inside.insert(inside.end(), m[from].statements.begin(), m[from].statements.end());
    };
    if (const auto* i = std::get_if<ir::if_statement>(&s)) append(way == 0 ? i->then_block : i->else_block);
    else if (const auto* c = std::get_if<ir::switch_statement>(&s))
        append(way < c->cases.count ? m.cases_of(*c)[way].body : c->default_block);
    else if (const auto* w = std::get_if<ir::while_statement>(&s)) append(w->head), append(w->body);
    else if (const auto* l = std::get_if<ir::for_statement>(&s)) {
        append(l->body);
        replace_uses(m, l->induction, l->first);
    }
    ir::block& block = m[b];
    block.statements.erase(block.statements.begin() + static_cast<std::ptrdiff_t>(at));
    block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(at), inside.begin(), inside.end());
    block.locations.assign(block.statements.size(), {});
}

void replace_uses(ir::module& m, ir::value_id from, ir::value_id to) {
    const auto rewrite = [&](ir::value_id& v) {
        if (v == from) v = to;
    };
    for (ir::value_id& v : m.operands) rewrite(v);
    for (ir::step& s : m.steps) rewrite(s.index);
    for (ir::block& b : m.blocks)
        for (ir::statement& s : b.statements) for_each_use(s, rewrite);
}

bool make_constant(ir::module& m, ir::block_id b, std::size_t at, std::uint64_t bits) {
    const auto* d = std::get_if<ir::define>(&m[b].statements[at]);
    if (d == nullptr) return false;
    const ir::value_id v = d->value;
    const ir::type t = m.type_of(v);
    if (t.kind == ir::type_kind::scalar) {
        m[v] = {op::constant, m[v].type, {}, bits};
        return true;
    }
    if (t.kind != ir::type_kind::vector) return false;
    const ir::value_id component{static_cast<std::uint32_t>(m.values.size())};
    m.values.push_back({op::constant, t.element, {}, bits});
    m[v] = {op::construct, m[v].type, {static_cast<std::uint32_t>(m.operands.size()), t.count}, 0};
    m.operands.insert(m.operands.end(), t.count, component);
    ir::block& block = m[b];
    block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(at), ir::define{component});
    block.locations.assign(block.statements.size(), {});
    return true;
}

void remove_dead(ir::module& m) {
    for (bool changed = true; changed;) {
        changed = false;
        const kernel_facts facts = examine(m);
        for (const ir::block_id b : facts.blocks) {
            ir::block& block = m[b];
            const std::size_t before = block.statements.size();
            std::erase_if(block.statements, [&](const ir::statement& s) {
                if (const auto* declared = std::get_if<ir::declare>(&s)) return facts.loads[declared->variable.number] == 0;
                if (const auto* stored = std::get_if<ir::store>(&s)) {
                    const ir::place& p = m[stored->place];
                    return p.root == ir::root_kind::variable && facts.loads[p.number] == 0;
                }
                const auto* d = std::get_if<ir::define>(&s);
                if (d == nullptr || facts.used[d->value.number]) return false;
                const ir::effect e = ir::info(m[d->value].op).effect;
                return e == ir::effect::pure || m[d->value].op == op::load;
            });
            block.locations.assign(block.statements.size(), {});
            changed |= block.statements.size() != before;
        }
    }
}

}  // namespace quern::fuzz
