#include "backends/cpu/codegen/divergence.hpp"

#include <algorithm>

#include "dsl/ir/effects.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::cpu::codegen {
namespace {

level join(level a, level b) { return std::max(a, b); }
template <class... Levels>
level join(level a, level b, Levels... more) { return join(join(a, b), more...); }

/// What leaves a block before its end: at which level lanes leave the innermost loop or the kernel.
struct exits {
    level loop = level::workgroup;
    level kernel = level::workgroup;
    level iteration = level::workgroup;  ///< by continue: these lanes will be back
    exits operator|(exits o) const { return {join(loop, o.loop), join(kernel, o.kernel), join(iteration, o.iteration)}; }
};

/// Repeats one walk over the statements until nothing rises; levels only rise, so it ends after few rounds.
class analysis {
public:
    analysis(const ir::module& m, std::uint32_t lanes, std::uint32_t vectors)
        : module_(m), form_(form_of(m)), in_vector_(vectors > 1 ? level::vector : level::pack),
          row_(lanes_stay_in_row(m, lanes * vectors) ? level::pack : lanes_stay_in_row(m, lanes) ? level::vector : level::lane),
          declared_at_(m.variables.size(), 0) {
        out_.values.assign(m.values.size(), level::workgroup);
        out_.variables.assign(m.variables.size(), level::workgroup);
        out_.statements.resize(m.blocks.size());
        for (std::size_t i = 0; i < m.blocks.size(); ++i) out_.statements[i].resize(m.blocks[i].statements.size());
        reads_.resize(m.variables.size());
        order_.resize(m.blocks.size());
        number(m.body);
        any_aliased_ = std::any_of(m.parameters.begin(), m.parameters.end(), [](const ir::parameter& p) { return p.aliased; });
    }

    divergence run() {
        do {
            changed_ = false;
            const exits e = walk(module_.body, {});
            out_.divergent_return = splits_pack(e.kernel);
        } while (changed_);
        return std::move(out_);
    }

private:
    void raise(level& what, level to) {
        if (to > what) {
            what = to;
            changed_ = true;
        }
    }

    level of(ir::value_id v) {
        // leaves need no statement that defines them
        if (module_[v].operands.count == 0 && ir::info(module_[v].op).effect == ir::effect::pure)
            raise(out_.values[v.number], level_of(v));
        return out_.values[v.number];
    }

    level of_indices(ir::place_id p) {
        level l = level::workgroup;
        for (const ir::step& s : module_.steps_of(p))
            if (s.kind == ir::step::kind::index) l = join(l, of(s.index));
        return l;
    }

    level of_load(ir::place_id p) {
        const ir::place& place = module_[p];
        const level indices = of_indices(p);
        if (place.root == ir::root_kind::variable)
            return module_.variables[place.number].storage == ir::storage::shared
                       ? join(level::pack, indices)
                       : join(out_.variables[place.number], indices);
        const bool constant = module_.parameters[place.number].access == ir::access::read && !any_aliased_;
        return constant ? indices : join(level::pack, indices);
    }

    level of_position(ir::value_id v) const {
        const auto dimension = static_cast<std::size_t>(module_[v].immediate);
        if (form_ == launch_form::group && module_.workgroup_size[dimension] == 1) return level::workgroup;
        if (dimension == 0) return level::lane;
        return form_ == launch_form::range ? level::pack : row_;
    }

    level level_of(ir::value_id v) {
        const ir::value& value = module_[v];
        level operands = level::workgroup;
        for (ir::value_id each : module_.operands_of(v)) operands = join(operands, of(each));
        switch (value.op) {
            case ir::op::induction: return out_.values[v.number];
            case ir::op::global_id:
            case ir::op::local_id: return of_position(v);
            case ir::op::subgroup_lane: return level::lane;
            case ir::op::subgroup_id: return in_vector_;
            case ir::op::load: return of_load(module_.place_of(v));
            case ir::op::uniform_load: return level::workgroup;
            case ir::op::atomic_load: return join(level::pack, of_indices(module_.place_of(v)));
            case ir::op::subgroup_shuffle:
            case ir::op::subgroup_shuffle_xor:
            case ir::op::subgroup_shuffle_up:
            case ir::op::subgroup_shuffle_down:
            case ir::op::subgroup_inclusive_add:
            case ir::op::subgroup_exclusive_add: return level::lane;
            case ir::op::subgroup_broadcast: return join(in_vector_, of(module_.operands_of(v)[1]));
            default: break;  // decided by the op's effect, which ops.def gives for every op
        }
        switch (ir::info(value.op).effect) {
            case ir::effect::pure: return operands;
            case ir::effect::load:
            case ir::effect::atomic: return level::lane;
            case ir::effect::convergent: return in_vector_;
        }
        return level::lane;
    }

    /// Gives every statement its place in the order of emission, and every variable the places where it is read.
    void number(ir::block_id b) {
        for (const ir::statement& s : module_[b].statements) {
            const std::size_t first = ++position_;
            if (const auto* d = std::get_if<ir::define>(&s); d && ir::accesses_memory(module_[d->value].op))
                if (const ir::place& place = module_[module_.place_of(d->value)]; place.root == ir::root_kind::variable)
                    reads_[place.number].push_back(first);
            ir::for_each_block(module_, s, [&](ir::block_id inner) { number(inner); });
            order_[b.number].push_back(position_);
        }
    }

    struct construct {
        level who;
        bool is_loop;
        std::size_t end;  ///< the last statement inside
    };

    level constructs_above(std::size_t depth) const {
        level l = level::workgroup;
        for (std::size_t i = depth; i < constructs_.size(); ++i) l = join(l, constructs_[i].who);
        return l;
    }

    /// Lanes that are off here have left a loop for good, and nothing behind it reads the variable. (Between the loop
    /// and the declaration stands no other loop: in its next round they would be back.)
    bool dead_where_off(std::uint32_t variable, level skipped) const {
        auto inner = constructs_.end();
        for (auto c = constructs_.begin() + static_cast<std::ptrdiff_t>(declared_at_[variable]); c != constructs_.end(); ++c) {
            if (!c->is_loop) continue;
            if (inner != constructs_.end()) {
                if (splits_pack(c->who)) return false;
                continue;
            }
            if (!splits_pack(c->who)) return false;
            inner = c;
        }
        if (inner == constructs_.end() || splits_pack(skipped)) return false;
        return std::ranges::none_of(reads_[variable], [&](std::size_t at) { return at > inner->end; });
    }

    /// Who arrives at a statement together: among all, among those that began this iteration of the innermost loop, among
    /// those that stay in the innermost loop that splits the pack.
    struct arrival {
        level control = level::workgroup, relative = level::workgroup, skipped = level::workgroup;
    };

    exits nested(ir::block_id b, const construct& c, const arrival& who) {
        if (b.is_none()) return {};
        constructs_.push_back(c);
        const exits e = walk(b, who);
        constructs_.pop_back();
        return e;
    }

    /// A branch inside: who takes it together is who agrees on the condition, too.
    exits branch(ir::block_id b, level condition, const arrival& who) {
        return nested(b, {condition, false, 0}, {join(who.control, condition), join(who.relative, condition), join(who.skipped, condition)});
    }

    exits loop(statement_facts& facts, std::size_t end, const arrival& who, ir::block_id head, ir::value_id condition, ir::block_id body, level trips) {
        const level control = join(facts.control, facts.loop, facts.loop_returns);
        const construct c{facts.loop, true, end};
        const arrival inside{control, level::workgroup, splits_pack(facts.loop) ? level::workgroup : who.skipped};
        exits e = nested(head, c, inside);
        if (condition) trips = join(trips, of(condition));
        e = e | nested(body, c, inside);
        raise(facts.loop, join(trips, e.loop));
        raise(facts.loop_returns, e.kernel);
        return {level::workgroup, e.kernel};
    }

    exits visit(const ir::statement& s, statement_facts& facts, std::size_t end, const arrival& who) {
        struct visitor {
            analysis& a;
            statement_facts& facts;
            std::size_t end;
            const arrival& who;

            exits operator()(const ir::define& s) {
                a.raise(a.out_.values[s.value.number], a.level_of(s.value));
                return {};
            }
            exits operator()(const ir::declare& s) {
                a.declared_at_[s.variable.number] = a.constructs_.size();
                return {};
            }
            exits operator()(const ir::store& s) {
                const ir::place& place = a.module_[s.place];
                if (place.root != ir::root_kind::variable) return {};
                if (a.module_.variables[place.number].storage == ir::storage::shared) return {};
                const level since = a.constructs_above(a.declared_at_[place.number]);
                facts.blends = splits_pack(since) && !a.dead_where_off(place.number, who.skipped);
                a.raise(a.out_.variables[place.number], join(since, a.of(s.value), a.of_indices(s.place)));
                return {};
            }
            exits operator()(const ir::if_statement& s) {
                const level c = a.of(s.condition);
                return a.branch(s.then_block, c, who) | a.branch(s.else_block, c, who);
            }
            exits operator()(const ir::for_statement& s) {
                a.raise(a.out_.values[s.induction.number], join(a.of(s.first), a.of(s.step)));
                return a.loop(facts, end, who, {}, {}, s.body, join(a.of(s.first), a.of(s.last), a.of(s.step)));
            }
            exits operator()(const ir::while_statement& s) {
                return a.loop(facts, end, who, s.head, s.condition, s.body, level::workgroup);
            }
            exits operator()(const ir::switch_statement& s) {
                const level c = a.of(s.selector);
                exits e = a.branch(s.default_block, c, who);
                for (const ir::switch_case& each : a.module_.cases_of(s)) e = e | a.branch(each.body, c, who);
                return e;
            }
            exits operator()(const ir::break_statement&) { return {facts.relative, level::workgroup}; }
            exits operator()(const ir::continue_statement&) { return {facts.relative, level::workgroup, facts.relative}; }
            exits operator()(const ir::return_statement&) { return {level::workgroup, facts.control}; }
            exits operator()(const ir::barrier&) { return {}; }
            exits operator()(const ir::fence&) { return {}; }
            exits operator()(const ir::assume&) { return {}; }
        };
        return std::visit(visitor{*this, facts, end, who}, s);
    }

    exits walk(ir::block_id b, arrival who) {
        exits all;
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            statement_facts& facts = out_.statements[b.number][i];
            raise(facts.control, who.control);
            raise(facts.relative, who.relative);
            const exits e = visit(statements[i], facts, order_[b.number][i], arrival{facts.control, facts.relative, who.skipped});
            who.control = join(who.control, e.loop, e.kernel);
            who.relative = join(who.relative, e.loop, e.kernel);
            who.skipped = join(who.skipped, e.iteration);
            all = all | e;
        }
        return all;
    }

    const ir::module& module_;
    launch_form form_;
    level in_vector_;  ///< of what differs from vector to vector
    level row_;        ///< who shares a row of the workgroup
    bool any_aliased_ = false;
    bool changed_ = false;
    std::vector<std::size_t> declared_at_;  ///< by variable: depth of constructs around its declaration
    std::vector<construct> constructs_;
    std::size_t position_ = 0;
    std::vector<std::vector<std::size_t>> order_;  ///< by block, statement: the place of the last statement inside
    std::vector<std::vector<std::size_t>> reads_;  ///< by variable, ascending
    divergence out_;
};

}  // namespace

launch_form form_of(const ir::module& m) {
    return m.launch == ir::launch_kind::over && !m.cooperative ? launch_form::range : launch_form::group;
}

bool lanes_stay_in_row(const ir::module& m, std::uint32_t lanes) {
    const auto& size = m.workgroup_size;
    return size[0] % lanes == 0 || (size[1] == 1 && size[2] == 1);
}

divergence analyse_divergence(const ir::module& m, std::uint32_t lanes, std::uint32_t vectors) {
    return analysis(m, lanes, vectors).run();
}

}  // namespace quern::cpu::codegen
