// Statements: each is the C++ statement of the same shape.
#include <fmt/format.h>

#include "backends/cuda/codegen/writer.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::cuda {

void writer::write_block(ir::block_id b) {
    if (b.is_none()) return;
    const ir::block& block = module_[b];
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
        const auto* d = std::get_if<ir::define>(&block.statements[i]);
        if (d != nullptr && rule_of(module_[d->value].op).form == form::inline_leaf) continue;
        mark(ir::location_of(block, i));
        write_statement(block.statements[i]);
    }
}

void writer::write_statement(const ir::statement& s) {
    const auto inside = [&](ir::block_id b) {
        ++depth_;
        write_block(b);
        --depth_;
    };
    std::visit(ir::overloaded{
                   [&](const ir::define& d) { define(d.value); },
                   [&](const ir::declare& d) {
                       line(fmt::format("{} {};", types_.name(module_[d.variable].type), names_.of_variable(d.variable.number)));
                   },
                   [&](const ir::store& t) { line(store(t.place, use(t.value))); },
                   [&](const ir::if_statement& i) {
                       line(fmt::format("if ({}) {{", use(i.condition)));
                       inside(i.then_block);
                       if (i.else_block && !module_[i.else_block].statements.empty()) {
                           line("} else {");
                           inside(i.else_block);
                       }
                       line("}");
                   },
                   [&](const ir::for_statement& l) { write_for(l); },
                   [&](const ir::while_statement& l) {
                       line("while (true) {");
                       inside(l.head);
                       ++depth_;
                       line(fmt::format("if (!{}) break;", use(l.condition)));
                       --depth_;
                       inside(l.body);
                       line("}");
                   },
                   [&](const ir::switch_statement& w) { write_switch(w); },
                   [&](const ir::break_statement&) { line("break;"); },
                   [&](const ir::continue_statement&) { line("continue;"); },
                   [&](const ir::return_statement&) { line("return;"); },
                   [&](const ir::barrier&) { line("__syncthreads();"); },
                   [&](const ir::fence& f) {
                       switch (f.scope) {
                           case ir::scope::workgroup: return line("__threadfence_block();");
                           case ir::scope::device: return line("__threadfence();");
                       }
                   },
                   [&](const ir::assume& a) { line(fmt::format("__builtin_assume({});", use(a.condition))); },
               },
               s);
}

/// A step of 1 never wraps. Any other counts its rounds beforehand: the compiler still knows how many there are.
void writer::write_for(const ir::for_statement& s) {
    const std::string type = types_.name(module_[s.induction].type), i = names_.of_value(s.induction);
    const std::string first = use(s.first), last = use(s.last), step = use(s.step);
    const bool is_unit = module_[s.step].op == ir::op::constant && module_[s.step].immediate == 1;
    if (is_unit) {
        line(fmt::format("for ({0} {1} = {2}; {1} < {3}; ++{1}) {{", type, i, first, last));
    } else {
        const std::string rounds = names_.fresh(i + "_rounds");
        const bool is_wide = ir::bit_width(type_of(s.induction).scalar) == 64;
        const bool is_signed = ir::is_signed_integer(type_of(s.induction).scalar);
        const std::string word = is_wide ? "uint64" : "uint", as_word = is_signed ? "(" + word + ")" : "";
        line(fmt::format("{0} {1} = {3} < {4} ? ({2}{4} - {2}{3} - 1u) / {2}{5} + 1u : 0u;", word, rounds, as_word, first, last, step));
        const std::string next = is_signed ? fmt::format("{0} = ({1})({2}{0} + {2}{3})", i, type, as_word, step)
                                           : fmt::format("{} += {}", i, step);
        line(fmt::format("for ({} {} = {}; {} != 0u; --{}, {}) {{", type, i, first, rounds, rounds, next));
    }
    ++depth_;
    write_block(s.body);
    --depth_;
    line("}");
}

/// A chain of ifs, so that break and continue still mean the loop around it.
void writer::write_switch(const ir::switch_statement& s) {
    const ir::scalar_kind k = type_of(s.selector).scalar;
    const std::string selector = use(s.selector);
    std::string opening = "if";
    for (const ir::switch_case& one : module_.cases_of(s)) {
        line(fmt::format("{} ({} == {}) {{", opening, selector, literal(k, one.literal)));
        ++depth_;
        write_block(one.body);
        --depth_;
        opening = "} else if";
    }
    const bool has_cases = !module_.cases_of(s).empty();
    if (s.default_block && !module_[s.default_block].statements.empty()) {
        line(has_cases ? "} else {" : "{");
        ++depth_;
        write_block(s.default_block);
        --depth_;
        line("}");
    } else if (has_cases) {
        line("}");
    }
}

}  // namespace quern::cuda
