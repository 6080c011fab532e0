// The canonical order. Effects keep theirs. A pure value stands right before the first statement of its block that
// needs it, a load where its run of values between two effects ends; among themselves both are ordered by a
// depth-first walk from the effects over operands. Leaves (constants, parameters, sizes, positions) are defined once,
// in the body. So the result depends on what the kernel means and not on the order in which operands were recorded.
#include "dsl/ir/canonical.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dsl/ir/compact.hpp"
#include "dsl/ir/importer.hpp"
#include "dsl/ir/liveness.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

constexpr std::uint32_t unvisited = 0xffff'ffffu;

/// Post-order over operands, without recursion, since chains of values are as long as kernels are.
template <class Skip, class Finish>
void visit_operands_first(const module& m, std::vector<value_id>& stack, value_id root, Skip skip, Finish finish) {
    const auto push = [&](value_id v) {
        if (!skip(v)) stack.push_back(v);
    };
    const std::size_t bottom = stack.size();
    push(root);
    std::vector<value_id> operands;
    while (stack.size() > bottom) {
        const value_id v = stack.back();
        if (v.is_none()) {  // a marker: the operands of the value below it are done
            stack.pop_back();
            const value_id done = stack.back();
            stack.pop_back();
            if (!skip(done)) finish(done);
            continue;
        }
        if (skip(v)) {
            stack.pop_back();
            continue;
        }
        stack.push_back({});
        operands.clear();
        for_each_operand(m, v, [&](value_id o) { operands.push_back(o); });
        for (auto o = operands.rbegin(); o != operands.rend(); ++o) push(*o);
    }
}

/// The order in which a walk over the live statements first meets each value.
class visit_order {
public:
    visit_order(const module& m, const liveness& live) : m_(m), live_(live), index_(m.values.size(), unvisited) {
        walk(m.body);
    }

    std::uint32_t of(value_id v) const { return index_[v.number]; }

private:
    void walk(block_id b) {
        const block& whole = m_[b];
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            const statement& s = whole.statements[i];
            if (!live_.at(b, i)) continue;
            const auto* d = std::get_if<define>(&s);
            if (d && is_movable(m_[d->value].op)) continue;
            const auto* w = std::get_if<while_statement>(&s);
            if (!w) for_each_use(m_, s, [&](value_id v) { visit(v); });
            if (d) index_[d->value.number] = next_++;
            if (const auto* l = std::get_if<for_statement>(&s)) index_[l->induction.number] = next_++;
            if (w) {
                walk(w->head);
                visit(w->condition);
                walk(w->body);
            } else {
                for_each_block(m_, s, [&](block_id inner) { walk(inner); });
            }
        }
    }

    void visit(value_id root) {
        visit_operands_first(
            m_, stack_, root, [&](value_id v) { return index_[v.number] != unvisited; },
            [&](value_id v) { index_[v.number] = next_++; });
    }

    const module& m_;
    const liveness& live_;
    std::vector<std::uint32_t> index_;
    std::vector<value_id> stack_;
    std::uint32_t next_ = 0;
};

/// What tells leaves apart.
struct leaf {
    op code;
    type_id type;
    std::uint64_t immediate;
    friend bool operator==(const leaf&, const leaf&) = default;
};
struct leaf_hash {
    std::size_t operator()(const leaf& l) const {
        const std::uint64_t head = std::uint64_t{l.type.number} << 8 | static_cast<std::uint64_t>(l.code);
        const std::uint64_t mixed = (l.immediate ^ head * 0x9e37'79b9'7f4a'7c15u) * 0xff51'afd7'ed55'8ccdu;
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
};

class orderer {
public:
    explicit orderer(const module& m)
        : from_(m),
          live_(find_live(m)),
          order_(m, live_),
          import_(m, to_),
          made_(m.values.size()),
          home_(m.values.size()) {}

    module run() {
        import_.header();
        to_.body = rebuild(from_.body);
        return std::move(to_);
    }

private:
    struct home {
        std::uint32_t depth = 0;  ///< of the block that defines it, in the stack of open blocks
        location_id location;
    };

    template <class AtEnd>
    block_id rebuild(block_id b, AtEnd at_end) {
        const block_id opened{static_cast<std::uint32_t>(to_.blocks.size())};
        to_.blocks.emplace_back();
        open_.push_back(opened);
        const block& whole = from_[b];
        note_homes(b);
        std::vector<value_id> loads;  // of the run that has not ended
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            if (!live_.at(b, i) && !declares_live(whole.statements[i])) continue;
            const auto* d = std::get_if<define>(&whole.statements[i]);
            if (d && is_movable(from_[d->value].op)) {
                if (from_[d->value].op == op::load) loads.push_back(d->value);
                continue;
            }
            end_run(loads);
            rebuild(whole.statements[i], location_of(whole, i));
        }
        end_run(loads);
        at_end();
        open_.pop_back();
        return opened;
    }

    block_id rebuild(block_id b) {
        return rebuild(b, [] {});
    }

    void note_homes(block_id b) {
        const block& whole = from_[b];
        for (std::size_t i = 0; i < whole.statements.size(); ++i)
            if (const auto* d = std::get_if<define>(&whole.statements[i])) {
                const location_id own = location_of(from_, d->value);
                home_[d->value.number] = {depth(), own ? own : location_of(whole, i)};
            }
    }

    bool declares_live(const statement& s) const {
        const auto* d = std::get_if<declare>(&s);
        return d && live_.variables[d->variable.number];
    }

    void end_run(std::vector<value_id>& loads) {
        std::sort(loads.begin(), loads.end(), [&](value_id a, value_id b) { return order_.of(a) < order_.of(b); });
        for (const value_id v : loads) demand(v);
        loads.clear();
    }

    std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size() - 1); }

    /// Defines v and what it needs, each in its own block, before the statement that is being rebuilt there.
    void demand(value_id root) {
        visit_operands_first(
            from_, stack_, root, [&](value_id v) { return is_leaf(from_[v].op) || made_[v.number]; },
            [&](value_id v) {
                const home& at = home_[v.number];
                made_[v.number] = import_.value(v, [&](value_id o) { return resolve(o); });
                append(at.depth, define{made_[v.number]}, at.location);
            });
    }

    /// The new value that stands for v. A leaf is defined at its first use, in the body, where everybody sees it.
    value_id resolve(value_id v) {
        if (!is_leaf(from_[v].op)) return made_[v.number];
        value_id& known = leaves_[{from_[v].op, import_.type(from_[v].type), from_[v].immediate}];
        if (known.is_none()) {
            known = import_.value(v, [](value_id o) { return o; });
            append(0, define{known}, home_[v.number].location);
        } else if (known.number >= to_.value_names.size() || to_.value_names[known.number].empty()) {
            importer::copy_name(from_.value_names, v.number, to_.value_names, known.number);
        }
        return known;
    }

    value_id use(value_id v) {
        demand(v);
        return resolve(v);
    }

    place_id use(place_id p) {
        for_each_index(from_, p, [&](value_id v) { demand(v); });
        return import_.place(p, [&](value_id v) { return resolve(v); });
    }

    void append(std::uint32_t depth, statement s, location_id at) {
        block& b = to_[open_[depth]];
        b.statements.push_back(std::move(s));
        b.locations.push_back(at);
    }

    bool is_empty(block_id b) const { return to_[b].statements.empty(); }

    void rebuild(const statement& s, location_id at) {
        const auto keep = [&](statement made) { append(depth(), std::move(made), at); };
        std::visit(overloaded{
                       [&](const define& d) {
                           for_each_operand(from_, d.value, [&](value_id o) { demand(o); });
                           made_[d.value.number] = import_.value(d.value, [&](value_id o) { return resolve(o); });
                           keep(define{made_[d.value.number]});
                       },
                       [&](const declare& d) { keep(declare{import_.variable(d.variable)}); },
                       [&](const store& t) {
                           const place_id to = use(t.place);
                           keep(store{to, use(t.value)});
                       },
                       [&](const if_statement& i) {
                           const value_id condition = use(i.condition);
                           const block_id then_block = rebuild(i.then_block);
                           keep(if_statement{condition, then_block, rebuild(i.else_block)});
                       },
                       [&](const for_statement& l) {
                           const value_id first = use(l.first);
                           const value_id last = use(l.last);
                           const value_id step = use(l.step);
                           const value_id induction = import_.value(l.induction, [](value_id o) { return o; });
                           made_[l.induction.number] = induction;
                           keep(for_statement{induction, first, last, step, rebuild(l.body)});
                       },
                       [&](const while_statement& l) {
                           value_id condition;
                           const block_id head = rebuild(l.head, [&] { condition = use(l.condition); });
                           keep(while_statement{head, condition, rebuild(l.body)});
                       },
                       [&](const switch_statement& w) { rebuild_switch(w, at); },
                       [&](const assume& a) { keep(assume{use(a.condition)}); },
                       [&](const break_statement& k) { keep(k); },
                       [&](const continue_statement& k) { keep(k); },
                       [&](const return_statement& k) { keep(k); },
                       [&](const barrier& k) { keep(k); },
                       [&](const fence& k) { keep(k); },
                   },
                   s);
    }

    void rebuild_switch(const switch_statement& w, location_id at) {
        const value_id selector = use(w.selector);
        std::vector<switch_case> cases(from_.cases_of(w).begin(), from_.cases_of(w).end());
        for (switch_case& one : cases) one.body = rebuild(one.body);
        const block_id default_block = rebuild(w.default_block);
        append(depth(), switch_statement{selector, import_.cases(cases), default_block}, at);
    }

    const module& from_;
    module to_;
    liveness live_;
    visit_order order_;
    importer import_;
    std::unordered_map<leaf, value_id, leaf_hash> leaves_;
    std::vector<value_id> made_;  // by old value, but for leaves
    std::vector<home> home_;      // by old value
    std::vector<block_id> open_;  // of to_
    std::vector<value_id> stack_;
};

}  // namespace

module canonicalise(const module& m) { return compact(orderer(m).run()); }

}  // namespace quern::ir
