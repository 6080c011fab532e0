#include "dsl/ir/uniformity.hpp"

#include <algorithm>
#include <array>

#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

/// What leaves a block other than by its end, and how divergent that is relative to the block's entry.
struct departures {
    bool jumps = false, returns = false;  ///< break or continue; return
    uniformity jump = uniformity::workgroup;
    uniformity finish = uniformity::workgroup;

    void add(const departures& inner, uniformity entered) {
        if (inner.jumps) jump = std::max({jump, inner.jump, entered});
        if (inner.returns) finish = std::max({finish, inner.finish, entered});
        jumps |= inner.jumps;
        returns |= inner.returns;
    }
};

/// Walks the kernel in program order until nothing rises any more. Divergence is kept as the time at which the
/// innermost divergence in force began, one entry a level: whether a store happens under other control than the
/// declaration of its variable is then one comparison of times. A walk is linear; there are as many as variables feed
/// each other backwards through a loop, hardly ever more than three.
class analysis {
public:
    explicit analysis(const module& m) : m_(m), unchanging_(find_unchanging_buffers(m)) {
        table_.values.resize(m.values.size(), uniformity::workgroup);
        table_.variables.resize(m.variables.size(), uniformity::workgroup);
        for (std::size_t i = 0; i < m.variables.size(); ++i)
            if (m.variables[i].storage == storage::shared) table_.variables[i] = uniformity::varying;
        table_.control.resize(m.blocks.size());
        for (std::size_t i = 0; i < m.blocks.size(); ++i) table_.control[i].resize(m.blocks[i].statements.size());
        declared_at_.resize(m.variables.size(), 0);
        loops_.resize(m.blocks.size(), uniformity::workgroup);
    }

    uniformity_table run() {
        do {
            changed_ = false;
            now_ = 0;
            walk(m_.body);
        } while (changed_);
        return std::move(table_);
    }

private:
    uniformity since(std::uint64_t time) const {
        if (began_[1] > time) return uniformity::varying;
        return began_[0] > time ? uniformity::subgroup : uniformity::workgroup;
    }

    void diverge(uniformity level) {
        ++now_;
        if (level >= uniformity::subgroup) began_[0] = now_;
        if (level == uniformity::varying) began_[1] = now_;
    }

    void raise(uniformity& slot, uniformity level) {
        if (level <= slot) return;
        slot = level;
        changed_ = true;
    }

    uniformity of(value_id v) const { return table_.values[v.number]; }

    uniformity of_indices(place_id p) const {
        uniformity level = uniformity::workgroup;
        for_each_index(m_, p, [&](value_id i) { level = std::max(level, of(i)); });
        return level;
    }

    departures walk(block_id b) {
        const auto saved = began_;
        departures all;
        uniformity here = uniformity::workgroup;  // divergence that began in this block
        const block& whole = m_[b];
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            ++now_;
            table_.control[b.number][i] = since(0);
            const departures inner = visit(whole.statements[i]);
            all.add(inner, here);
            // Those that left are missing from here on.
            const uniformity left = std::max(inner.jump, inner.finish);
            if (left > uniformity::workgroup) {
                here = std::max(here, left);
                diverge(left);
            }
        }
        began_ = saved;
        return all;
    }

    /// Walks a block that is entered under a condition of this level.
    departures walk_under(uniformity level, block_id b) {
        const auto saved = began_;
        diverge(level);
        departures out;
        out.add(walk(b), level);
        began_ = saved;
        return out;
    }

    /// Divergence inside a loop makes its next iterations divergent, hence all of it; after it those that broke
    /// out are back, those that returned are not.
    departures close_loop(block_id body, uniformity entered, const departures& inner) {
        raise(loops_[body.number], std::max({entered, inner.jump, inner.finish}));
        departures out;
        out.returns = inner.returns;
        if (inner.returns) out.finish = std::max(inner.finish, loops_[body.number]);
        return out;
    }

    departures visit(const statement& s) {
        return std::visit(
            overloaded{
                [&](const define& d) {
                    uniformity& slot = table_.values[d.value.number];
                    slot = std::max(slot, compute(d.value));
                    return departures{};
                },
                [&](const declare& d) {
                    declared_at_[d.variable.number] = now_;
                    return departures{};
                },
                [&](const store& t) {
                    if (const variable_id local = local_root(m_, t.place))
                        raise(table_.variables[local.number],
                              std::max({of(t.value), of_indices(t.place), since(declared_at_[local.number])}));
                    return departures{};
                },
                [&](const if_statement& i) {
                    departures out = walk_under(of(i.condition), i.then_block);
                    out.add(walk_under(of(i.condition), i.else_block), uniformity::workgroup);
                    return out;
                },
                [&](const for_statement& l) {
                    const uniformity bounds = std::max({of(l.first), of(l.last), of(l.step)});
                    // Invocations that run an iteration together have made equally many steps.
                    uniformity& counter = table_.values[l.induction.number];
                    counter = std::max({counter, of(l.first), of(l.step)});
                    const uniformity entered = std::max(bounds, loops_[l.body.number]);
                    return close_loop(l.body, entered, walk_under(entered, l.body));
                },
                [&](const while_statement& l) {
                    const uniformity entered = loops_[l.body.number];
                    departures inner = walk_under(entered, l.head);
                    // The head runs again for those that stay: its control depends on its own result.
                    const uniformity stays = std::max(entered, of(l.condition));
                    inner.add(walk_under(stays, l.body), uniformity::workgroup);
                    return close_loop(l.body, stays, inner);
                },
                [&](const switch_statement& w) {
                    departures out = walk_under(of(w.selector), w.default_block);
                    for (const switch_case& one : m_.cases_of(w))
                        out.add(walk_under(of(w.selector), one.body), uniformity::workgroup);
                    return out;
                },
                [](const break_statement&) { return departures{.jumps = true}; },
                [](const continue_statement&) { return departures{.jumps = true}; },
                [](const return_statement&) { return departures{.returns = true}; },
                [](const barrier&) { return departures{}; },
                [](const fence&) { return departures{}; },
                [](const assume&) { return departures{}; },
            },
            s);
    }

    uniformity compute(value_id v) const {
        switch (info(m_[v].op).effect) {
            case effect::atomic: return uniformity::varying;
            case effect::load: return compute_load(v);
            case effect::convergent: return compute_convergent(v);
            case effect::pure: break;
        }
        if (is_leaf(m_[v].op)) return compute_leaf(m_[v]);
        uniformity level = uniformity::workgroup;
        for (const value_id o : m_.operands_of(v)) level = std::max(level, of(o));
        return level;
    }

    uniformity compute_leaf(const value& v) const {
        if (v.op == op::global_id || v.op == op::local_id)
            return m_.workgroup_size[v.immediate] == 1 ? uniformity::workgroup : uniformity::varying;
        if (v.op == op::subgroup_lane) return uniformity::varying;
        return v.op == op::subgroup_id ? uniformity::subgroup : uniformity::workgroup;
    }

    uniformity compute_load(value_id v) const {
        if (m_[v].op == op::uniform_load) return uniformity::workgroup;
        const place& from = m_[m_.place_of(v)];
        const uniformity at = of_indices(m_.place_of(v));
        if (from.root == root_kind::variable) return std::max(at, table_.variables[from.number]);
        return unchanging_[from.number] ? at : uniformity::varying;
    }

    uniformity compute_convergent(value_id v) const {
        const auto operands = m_.operands_of(v);
        const uniformity value = of(operands[0]);
        // All lanes get one value; of equal values that value itself, whatever the number of lanes.
        constexpr std::array choosing{op::subgroup_min, op::subgroup_max, op::subgroup_and,
                                      op::subgroup_or,  op::subgroup_any, op::subgroup_all};
        constexpr std::array counting{op::subgroup_add, op::subgroup_mul, op::subgroup_xor, op::subgroup_ballot};
        constexpr std::array moving{op::subgroup_shuffle, op::subgroup_shuffle_xor, op::subgroup_shuffle_up,
                                    op::subgroup_shuffle_down};
        const auto is_one_of = [code = m_[v].op](const auto& ops) {
            return std::find(ops.begin(), ops.end(), code) != ops.end();
        };
        if (is_one_of(choosing)) return std::min(value, uniformity::subgroup);
        if (is_one_of(counting)) return uniformity::subgroup;
        if (is_one_of(moving)) return value;
        if (m_[v].op == op::subgroup_broadcast)
            return of(operands[1]) == uniformity::varying ? value : std::min(value, uniformity::subgroup);
        return uniformity::varying;  // scans, and whatever is added without a proof
    }

    const module& m_;
    std::vector<bool> unchanging_;
    uniformity_table table_;
    std::vector<std::uint64_t> declared_at_;  // by variable
    std::vector<uniformity> loops_;           // by body: divergence of the loop relative to its entry
    std::array<std::uint64_t, 2> began_{};    // subgroup or worse, varying; 0: not in force
    std::uint64_t now_ = 0;
    bool changed_ = false;
};

}  // namespace

uniformity_table analyse_uniformity(const module& m) { return analysis(m).run(); }

}  // namespace quern::ir
