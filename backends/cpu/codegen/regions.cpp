#include "backends/cpu/codegen/regions.hpp"

#include <algorithm>

namespace quern::cpu::codegen {
namespace {

template <class... Ts>
struct overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
overloaded(Ts...) -> overloaded<Ts...>;

void for_each_block(const ir::module& m, const ir::statement& s, const std::function<void(ir::block_id)>& visit) {
    const auto one = [&](ir::block_id b) { if (b) visit(b); };
    std::visit(overloaded{
                   [&](const ir::if_statement& i) { one(i.then_block), one(i.else_block); },
                   [&](const ir::for_statement& f) { one(f.body); },
                   [&](const ir::while_statement& w) { one(w.head), one(w.body); },
                   [&](const ir::switch_statement& w) {
                       for (const ir::switch_case& each : m.cases_of(w)) one(each.body);
                       one(w.default_block);
                   },
                   [](const ir::define&) {}, [](const ir::declare&) {}, [](const ir::store&) {},
                   [](const ir::break_statement&) {}, [](const ir::continue_statement&) {},
                   [](const ir::return_statement&) {}, [](const ir::barrier&) {}, [](const ir::fence&) {},
                   [](const ir::assume&) {},
               },
               s);
}

bool reads_place(ir::op code) {
    return ir::info(code).effect == ir::effect::load || ir::info(code).effect == ir::effect::atomic;
}

void for_each_index(const ir::module& m, ir::place_id p, const std::function<void(ir::value_id)>& use) {
    for (const ir::step& s : m.steps_of(p))
        if (s.kind == ir::step::kind::index) use(s.index);
}

/// The values that computing `v` reads directly.
void for_each_operand(const ir::module& m, ir::value_id v, const std::function<void(ir::value_id)>& use) {
    for (ir::value_id each : m.operands_of(v)) use(each);
    if (reads_place(m[v].op)) for_each_index(m, m.place_of(v), use);
}

/// The values that `s` itself reads, not what is inside it.
void for_each_direct_use(const ir::module& m, const ir::statement& s, const std::function<void(ir::value_id)>& use) {
    std::visit(overloaded{
                   [&](const ir::define& d) { for_each_operand(m, d.value, use); },
                   [&](const ir::store& d) { for_each_index(m, d.place, use), use(d.value); },
                   [&](const ir::if_statement& i) { use(i.condition); },
                   [&](const ir::for_statement& f) { use(f.first), use(f.last), use(f.step); },
                   [&](const ir::while_statement& w) { use(w.condition); },
                   [&](const ir::switch_statement& w) { use(w.selector); },
                   [&](const ir::assume& a) { use(a.condition); },
                   [](const ir::declare&) {}, [](const ir::break_statement&) {}, [](const ir::continue_statement&) {},
                   [](const ir::return_statement&) {}, [](const ir::barrier&) {}, [](const ir::fence&) {},
               },
               s);
}

ir::variable_id accessed_variable(const ir::module& m, ir::place_id p) {
    return m[p].root == ir::root_kind::variable ? ir::variable_id{m[p].number} : ir::variable_id{};
}

/// The local or shared variable that `s` itself reads or writes, or none.
ir::variable_id accessed_variable(const ir::module& m, const ir::statement& s) {
    if (const auto* d = std::get_if<ir::define>(&s))
        return reads_place(m[d->value].op) ? accessed_variable(m, m.place_of(d->value)) : ir::variable_id{};
    if (const auto* d = std::get_if<ir::store>(&s)) return accessed_variable(m, d->place);
    return {};
}

class planner {
public:
    planner(const ir::module& m, const divergence& d) : module_(m), divergence_(d) {
        any_aliased_ = std::any_of(m.parameters.begin(), m.parameters.end(), [](const ir::parameter& p) { return p.aliased; });
    }

    region_plan run(launch_form form) {
        plan_.group_level.resize(module_.blocks.size());
        for (std::size_t i = 0; i < module_.blocks.size(); ++i)
            plan_.group_level[i].assign(module_.blocks[i].statements.size(), false);
        plan_.group_value.assign(module_.values.size(), false);
        plan_.group_variable.assign(module_.variables.size(), false);
        plan_.spilled.assign(module_.values.size(), false);
        plan_.in_scratch.assign(module_.variables.size(), false);
        if (form == launch_form::range || !has_barrier(module_.body)) return std::move(plan_);
        plan_.synchronises = true;

        synchronising_.assign(module_.blocks.size(), false);
        find_synchronising(module_.body);
        mark(module_.body, in_loop::lanes);
        number_regions();
        choose_group_values();
        number_regions();
        find_crossings();
        return std::move(plan_);
    }

private:
    enum class in_loop { lanes, group };
    static constexpr std::uint32_t group_region = 0;
    static constexpr unsigned heavy = 100, recompute_limit = 10;

    static bool is_barrier(const ir::module& m, const ir::statement& s) {
        if (std::holds_alternative<ir::barrier>(s)) return true;
        const auto* d = std::get_if<ir::define>(&s);
        return d && m[d->value].op == ir::op::uniform_load;
    }

    bool has_barrier(ir::block_id b) const {
        bool found = false;
        for (const ir::statement& s : module_[b].statements)
            for_each_statement(module_, s, [&](const ir::statement& each) { found = found || is_barrier(module_, each); });
        return found;
    }

    /// A barrier, or a return that the whole workgroup takes, stands in the block.
    bool find_synchronising(ir::block_id b) {
        bool any = false;
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            bool found = is_barrier(module_, statements[i]) ||
                         (std::holds_alternative<ir::return_statement>(statements[i]) &&
                          divergence_.at(b, i).control == level::workgroup);
            for_each_block(module_, statements[i], [&](ir::block_id inner) { found = find_synchronising(inner) || found; });
            any = any || found;
        }
        synchronising_[b.number] = any;
        return any;
    }

    /// Marks what runs at group level; true if anything in the block does. Breaks go with their loop.
    bool mark(ir::block_id b, in_loop around) {
        bool any = false;
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const ir::statement& s = statements[i];
            bool here = is_barrier(module_, s);
            if (std::holds_alternative<ir::return_statement>(s)) here = divergence_.at(b, i).control == level::workgroup;
            if (std::holds_alternative<ir::break_statement>(s) || std::holds_alternative<ir::continue_statement>(s))
                here = around == in_loop::group;
            const bool loop = std::holds_alternative<ir::for_statement>(s) || std::holds_alternative<ir::while_statement>(s);
            if (loop) {
                for_each_block(module_, s, [&](ir::block_id inner) { here = here || synchronising_[inner.number]; });
                if (here) for_each_block(module_, s, [&](ir::block_id inner) { mark(inner, in_loop::group); });
            } else {
                for_each_block(module_, s, [&](ir::block_id inner) { here = mark(inner, around) || here; });
            }
            plan_.group_level[b.number][i] = here;
            any = any || here;
        }
        return any;
    }

    /// Gives every statement its region: numbers from 1 for runs of lane statements, group_region for the rest.
    void number_regions() {
        regions_ = 0;
        defined_in_.assign(module_.values.size(), group_region);
        accesses_.assign(module_.variables.size(), {});
        uses_.clear();
        number_block(module_.body);
    }

    void number_block(ir::block_id b) {
        bool open = false;
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const ir::statement& s = statements[i];
            if (!plan_.group_level[b.number][i]) {
                if (!open) ++regions_;
                open = true;
                record(s, regions_);
                continue;
            }
            const auto* d = std::get_if<ir::define>(&s);
            const bool splits = !(d && plan_.group_value[d->value.number] && !is_barrier(module_, s));
            if (splits) open = false;
            record_direct(s, group_region);
            for_each_block(module_, s, [&](ir::block_id inner) { number_block(inner); });
        }
    }

    void record_direct(const ir::statement& s, std::uint32_t region) {
        if (const auto* d = std::get_if<ir::define>(&s)) defined_in_[d->value.number] = region;
        if (const auto* f = std::get_if<ir::for_statement>(&s)) defined_in_[f->induction.number] = region;
        if (const auto v = accessed_variable(module_, s)) accesses_[v.number].push_back(region);
        if (std::holds_alternative<ir::return_statement>(s) && region != group_region) plan_.keeps_returned = true;
        for_each_direct_use(module_, s, [&](ir::value_id v) { uses_.push_back({v, region}); });
    }

    void record(const ir::statement& s, std::uint32_t region) {
        for_each_statement(module_, s, [&](const ir::statement& each) { record_direct(each, region); });
    }

    bool in_several_regions(std::size_t variable) const {
        const auto& a = accesses_[variable];
        return std::any_of(a.begin(), a.end(), [&](std::uint32_t r) { return r != a.front(); });
    }

    bool is_local(std::size_t variable) const { return module_.variables[variable].storage == ir::storage::local; }

    /// True where group level code can compute `v`.
    bool available(ir::value_id v) const {
        return plan_.group_value[v.number] || (is_leaf(module_, v) && divergence_.values[v.number] == level::workgroup);
    }

    bool available_place(ir::place_id p) const {
        bool all = true;
        for_each_index(module_, p, [&](ir::value_id v) { all = all && available(v); });
        return all;
    }

    bool computable(ir::value_id v) const {
        const ir::value& value = module_[v];
        if (divergence_.values[v.number] != level::workgroup) return false;
        bool operands = true;
        for (ir::value_id each : module_.operands_of(v)) operands = operands && available(each);
        if (ir::info(value.op).effect == ir::effect::pure) return operands;
        if (value.op != ir::op::load || !available_place(module_.place_of(v))) return false;
        const ir::place& place = module_[module_.place_of(v)];
        if (place.root == ir::root_kind::variable) return plan_.group_variable[place.number];
        return module_.parameters[place.number].access == ir::access::read && !any_aliased_;
    }

    /// Optimistic: every uniform variable that several regions share is a group variable until a store disproves it.
    void choose_group_values() {
        for (std::size_t i = 0; i < module_.variables.size(); ++i)
            plan_.group_variable[i] =
                is_local(i) && divergence_.variables[i] == level::workgroup && in_several_regions(i);
        do {
            disproved_ = false;
            plan_.group_value.assign(module_.values.size(), false);
            choose_in(module_.body);
        } while (disproved_);
        lift(module_.body);
    }

    void choose_in(ir::block_id b) {
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const ir::statement& s = statements[i];
            if (const auto* d = std::get_if<ir::define>(&s)) {
                // after a divergent return nobody may be left who would have read the memory
                const bool all_here = divergence_.at(b, i).control == level::workgroup;
                plan_.group_value[d->value.number] = is_barrier(module_, s) || (all_here && computable(d->value));
            } else if (const auto* w = std::get_if<ir::store>(&s)) {
                const auto v = accessed_variable(module_, w->place);
                if (v && plan_.group_variable[v.number] && !(available(w->value) && available_place(w->place)))
                    disprove(v);
            } else if (plan_.group_level[b.number][i]) {
                if (const auto* f = std::get_if<ir::for_statement>(&s)) plan_.group_value[f->induction.number] = true;
                for_each_block(module_, s, [&](ir::block_id inner) { choose_in(inner); });
            } else {
                for_each_statement(module_, s, [&](const ir::statement& each) {
                    if (const auto* inner = std::get_if<ir::store>(&each)) disprove(accessed_variable(module_, inner->place));
                    if (const auto* inner = std::get_if<ir::declare>(&each)) disprove(inner->variable);
                });
            }
        }
    }

    void disprove(ir::variable_id v) {
        if (!v || !plan_.group_variable[v.number]) return;
        plan_.group_variable[v.number] = false;
        disproved_ = true;
    }

    void lift(ir::block_id b) {
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const ir::statement& s = statements[i];
            if (const auto* d = std::get_if<ir::define>(&s)) {
                if (plan_.group_value[d->value.number]) plan_.group_level[b.number][i] = true;
            } else if (const auto* w = std::get_if<ir::store>(&s)) {
                const auto v = accessed_variable(module_, w->place);
                if (v && plan_.group_variable[v.number]) plan_.group_level[b.number][i] = true;
            } else if (const auto* v = std::get_if<ir::declare>(&s)) {
                if (plan_.group_variable[v->variable.number]) plan_.group_level[b.number][i] = true;
            } else if (plan_.group_level[b.number][i]) {
                for_each_block(module_, s, [&](ir::block_id inner) { lift(inner); });
            }
        }
    }

    /// How dear it is to compute `v` again in another region instead of storing it.
    unsigned weight(ir::value_id v) {
        unsigned& known = weights_[v.number];
        if (known) return known;
        if (plan_.group_value[v.number] || is_leaf(module_, v)) return known = 1;
        const ir::op code = module_[v].op;
        if (ir::info(code).effect != ir::effect::pure || code == ir::op::induction) return known = heavy;
        const bool dear = ir::info(code).operands == ir::operand_rule::floating || code == ir::op::div || code == ir::op::rem;
        unsigned sum = dear ? 4 : 1;
        for (ir::value_id each : module_.operands_of(v)) sum = std::min(heavy, sum + weight(each));
        return known = sum;
    }

    /// What computing `v` in `region` needs from others is spilled where it is dear.
    void require(ir::value_id v, std::uint32_t region) {
        if (plan_.group_value[v.number] || is_leaf(module_, v)) return;
        if (defined_in_[v.number] == region && region != group_region) return;
        if (weight(v) > recompute_limit) plan_.spilled[v.number] = true;
    }

    void find_crossings() {
        weights_.assign(module_.values.size(), 0);
        for (const use& u : uses_) require(u.value, u.region);
        for (std::size_t i = 0; i < module_.variables.size(); ++i)
            plan_.in_scratch[i] = is_local(i) && !plan_.group_variable[i] && in_several_regions(i);
    }

    struct use {
        ir::value_id value;
        std::uint32_t region;
    };

    const ir::module& module_;
    const divergence& divergence_;
    bool any_aliased_ = false;
    bool disproved_ = false;
    std::uint32_t regions_ = 0;
    std::vector<bool> synchronising_;                     ///< by block
    std::vector<std::uint32_t> defined_in_;               ///< by value: region
    std::vector<std::vector<std::uint32_t>> accesses_;    ///< by variable: regions
    std::vector<unsigned> weights_;
    std::vector<use> uses_;
    region_plan plan_;
};

}  // namespace

bool is_leaf(const ir::module& m, ir::value_id v) {
    return m[v].operands.count == 0 && ir::info(m[v].op).effect == ir::effect::pure && m[v].op != ir::op::induction &&
           m[v].op != ir::op::construct;
}

void for_each_statement(const ir::module& m, const ir::statement& s, const std::function<void(const ir::statement&)>& visit) {
    visit(s);
    for_each_block(m, s, [&](ir::block_id b) {
        for (const ir::statement& each : m[b].statements) for_each_statement(m, each, visit);
    });
}

void for_each_use(const ir::module& m, const ir::statement& s, const std::function<void(ir::value_id)>& use) {
    for_each_statement(m, s, [&](const ir::statement& each) { for_each_direct_use(m, each, use); });
}

region_plan plan_regions(const ir::module& m, launch_form form, const divergence& d) { return planner(m, d).run(form); }

}  // namespace quern::cpu::codegen
