// Which value stands for which: filled while a pass walks the kernel, applied to the whole module at its end.
#pragma once

#include <vector>

#include "dsl/ir/module.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::jit {

class value_replacement {
public:
    explicit value_replacement(const ir::module& m) : stands_(m.values.size()) {
        for (std::uint32_t i = 0; i < stands_.size(); ++i) stands_[i] = {i};
    }

    /// From now on `by` stands for `v`, and so does what stands for `by`.
    void replace(ir::value_id v, ir::value_id by) { stands_[v.number] = of(by); }

    /// What stands for v in the end.
    ir::value_id of(ir::value_id v) {
        while (stands_[v.number] != v) {
            stands_[v.number] = stands_[stands_[v.number].number];  // halves the path for the next one
            v = stands_[v.number];
        }
        return v;
    }

    /// Rewrites every operand, index and statement.
    void apply(ir::module& m) {
        for (ir::value_id& o : m.operands) o = of(o);
        for (ir::step& s : m.steps)
            if (s.kind == ir::step::kind::index) s.index = of(s.index);
        for (ir::block& b : m.blocks)
            for (ir::statement& s : b.statements)
                std::visit(ir::overloaded{
                               [&](ir::store& t) { t.value = of(t.value); },
                               [&](ir::if_statement& i) { i.condition = of(i.condition); },
                               [&](ir::for_statement& l) {
                                   for (ir::value_id* v : {&l.first, &l.last, &l.step}) *v = of(*v);
                               },
                               [&](ir::while_statement& l) { l.condition = of(l.condition); },
                               [&](ir::switch_statement& w) { w.selector = of(w.selector); },
                               [&](ir::assume& a) { a.condition = of(a.condition); },
                               [](ir::define&) {},
                               [](ir::declare&) {},
                               [](ir::break_statement&) {},
                               [](ir::continue_statement&) {},
                               [](ir::return_statement&) {},
                               [](ir::barrier&) {},
                               [](ir::fence&) {},
                           },
                           s);
    }

private:
    std::vector<ir::value_id> stands_;
};

}  // namespace quern::jit
