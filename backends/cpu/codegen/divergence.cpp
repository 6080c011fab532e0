#include "backends/cpu/codegen/divergence.hpp"

#include <algorithm>

namespace quern::cpu::codegen {
namespace {

level join(level a, level b) { return std::max(a, b); }
template <class... Levels>
level join(level a, level b, Levels... more) { return join(join(a, b), more...); }

/// What leaves a block before its end: at which level lanes leave the innermost loop or the kernel.
struct exits {
    level loop = level::workgroup;
    level kernel = level::workgroup;
    exits operator|(exits o) const { return {join(loop, o.loop), join(kernel, o.kernel)}; }
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
        any_aliased_ = std::any_of(m.parameters.begin(), m.parameters.end(), [](const ir::parameter& p) { return p.aliased; });
    }

    divergence run() {
        do {
            changed_ = false;
            const exits e = walk(module_.body, level::workgroup, level::workgroup);
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

    level constructs_above(std::size_t depth) const {
        level l = level::workgroup;
        for (std::size_t i = depth; i < constructs_.size(); ++i) l = join(l, constructs_[i]);
        return l;
    }

    exits nested(ir::block_id b, level construct, level control, level relative) {
        if (b.is_none()) return {};
        constructs_.push_back(construct);
        const exits e = walk(b, control, relative);
        constructs_.pop_back();
        return e;
    }

    exits loop(statement_facts& facts, ir::block_id head, ir::value_id condition, ir::block_id body, level trips) {
        const level control = join(facts.control, facts.loop, facts.loop_returns);
        exits e = nested(head, facts.loop, control, level::workgroup);
        if (condition) trips = join(trips, of(condition));
        e = e | nested(body, facts.loop, control, level::workgroup);
        raise(facts.loop, join(trips, e.loop));
        raise(facts.loop_returns, e.kernel);
        return {level::workgroup, e.kernel};
    }

    exits visit(const ir::statement& s, statement_facts& facts) {
        struct visitor {
            analysis& a;
            statement_facts& facts;

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
                facts.blends = splits_pack(since);
                a.raise(a.out_.variables[place.number], join(since, a.of(s.value), a.of_indices(s.place)));
                return {};
            }
            exits operator()(const ir::if_statement& s) {
                const level c = a.of(s.condition);
                const level control = join(facts.control, c), relative = join(facts.relative, c);
                return a.nested(s.then_block, c, control, relative) | a.nested(s.else_block, c, control, relative);
            }
            exits operator()(const ir::for_statement& s) {
                a.raise(a.out_.values[s.induction.number], join(a.of(s.first), a.of(s.step)));
                return a.loop(facts, {}, {}, s.body, join(a.of(s.first), a.of(s.last), a.of(s.step)));
            }
            exits operator()(const ir::while_statement& s) {
                return a.loop(facts, s.head, s.condition, s.body, level::workgroup);
            }
            exits operator()(const ir::switch_statement& s) {
                const level c = a.of(s.selector);
                const level control = join(facts.control, c), relative = join(facts.relative, c);
                exits e = a.nested(s.default_block, c, control, relative);
                for (const ir::switch_case& each : a.module_.cases_of(s)) e = e | a.nested(each.body, c, control, relative);
                return e;
            }
            exits operator()(const ir::break_statement&) { return {facts.relative, level::workgroup}; }
            exits operator()(const ir::continue_statement&) { return {facts.relative, level::workgroup}; }
            exits operator()(const ir::return_statement&) { return {level::workgroup, facts.control}; }
            exits operator()(const ir::barrier&) { return {}; }
            exits operator()(const ir::fence&) { return {}; }
            exits operator()(const ir::assume&) { return {}; }
        };
        return std::visit(visitor{*this, facts}, s);
    }

    exits walk(ir::block_id b, level control, level relative) {
        exits all;
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            statement_facts& facts = out_.statements[b.number][i];
            raise(facts.control, control);
            raise(facts.relative, relative);
            const exits e = visit(statements[i], facts);
            control = join(control, e.loop, e.kernel);
            relative = join(relative, e.loop, e.kernel);
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
    std::vector<level> constructs_;
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
