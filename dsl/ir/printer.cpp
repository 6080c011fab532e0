// Writes a module as text, one statement a line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dsl/ir/keywords.hpp"
#include "dsl/ir/literal.hpp"
#include "dsl/ir/naming.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

/// A member's name where it says which one is meant, else nothing.
std::string_view distinct_name(std::span<const member> members, std::size_t number) {
    const std::string& name = members[number].name;
    const auto same = [&](const member& other) { return other.name == name; };
    return is_identifier(name) && std::count_if(members.begin(), members.end(), same) == 1 ? std::string_view(name)
                                                                                           : std::string_view();
}

class printer {
public:
    explicit printer(const module& m) : m_(m), names_(m) {}

    std::string run() {
        print_header();
        depth_ = 1;
        for (std::uint32_t i = 0; i < m_.parameters.size(); ++i) print_parameter(i);
        for (std::uint32_t i = 0; i < m_.variables.size(); ++i)
            if (m_.variables[i].storage == storage::shared)
                line("shared %{}: {}", names_.of_variable(i), print_type(m_, m_.variables[i].type));
        depth_ = 0;
        if (!is_blank(m_.body)) out_ += '\n';
        print_statements(m_.body);
        out_ += "}\n";
        return std::move(out_);
    }

private:
    template <class... T>
    void line(fmt::format_string<T...> format, T&&... arguments) {
        out_.append(2 * depth_, ' ');
        fmt::format_to(std::back_inserter(out_), format, std::forward<T>(arguments)...);
        out_ += '\n';
    }

    void print_header() {
        out_ += "kernel \"";
        for (const char c : m_.name) {
            const bool escaped = c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ';
            if (escaped)
                out_ += fmt::format("\\{:02x}", static_cast<unsigned char>(c));
            else
                out_ += c;
        }
        out_ += fmt::format("\" {}", word(launch_words, m_.launch));
        const auto& size = m_.workgroup_size;
        if (size != std::array<std::uint32_t, 3>{})
            out_ += fmt::format(" workgroup {} {} {}", size[0], size[1], size[2]);
        if (m_.covers != std::array<std::uint32_t, 2>{})
            out_ += fmt::format(" covers {} {}", m_.covers[0], m_.covers[1]);
        out_ += fmt::format(" math {}{} {{\n", word(math_words, m_.math), m_.cooperative ? " cooperative" : "");
    }

    void print_parameter(std::uint32_t i) {
        const parameter& p = m_.parameters[i];
        const std::string type = print_type(m_, p.type);
        if (p.kind == parameter_kind::value)
            line("value %{}: {}", names_.of_parameter(i), type);
        else
            line("buffer {}{} %{}: {}", p.aliased ? "aliased " : "", word(access_words, p.access),
                 names_.of_parameter(i), type);
    }

    std::string use(value_id v) const {
        const value& record = m_[v];
        if (record.op == op::constant) return print_literal({m_[record.type].scalar, record.immediate});
        if (record.op == op::parameter) return "%" + names_.of_parameter(static_cast<std::uint32_t>(record.immediate));
        return "%" + names_.of_value(v);
    }

    std::string print_place(place_id id) const {
        const place& p = m_[id];
        const bool buffer = p.root == root_kind::parameter;
        std::string text = "%" + (buffer ? names_.of_parameter(p.number) : names_.of_variable(p.number));
        type_id inside = buffer ? m_.parameters[p.number].type : m_.variables[p.number].type;
        bool element = buffer;  // the next index selects an element of the buffer
        for (const step& s : m_.steps_of(id)) {
            if (s.kind == step::kind::index) {
                text += fmt::format("[{}]", use(s.index));
                if (!element) inside = m_[inside].element;
            } else if (m_[inside].kind == type_kind::structure) {
                const auto members = m_.members_of(inside);
                const std::string_view name = distinct_name(members, s.member);
                text += name.empty() ? fmt::format(".@{}", s.member) : fmt::format(".{}", name);
                inside = members[s.member].type;
            } else {
                text += fmt::format(".{}", component_letters[s.member]);
                inside = m_[inside].element;
            }
            element = false;
        }
        return text;
    }

    /// What follows the op's name and precedes the type.
    std::string print_arguments(value_id v) const {
        const value& record = m_[v];
        const auto operands = m_.operands_of(v);
        if (has_dimension(record.op)) return fmt::format(".{}", component_letters[record.immediate]);
        std::string text;
        if (record.op == op::buffer_size)
            text = " %" + names_.of_parameter(static_cast<std::uint32_t>(record.immediate));
        if (accesses_memory(record.op)) text = " " + print_place(m_.place_of(v));
        for (std::size_t i = 0; i < operands.size(); ++i) {
            text += (text.empty() ? " " : ", ") + use(operands[i]);
            if (i > 0) continue;
            if (record.op == op::extract || record.op == op::insert) text += fmt::format("[{}]", record.immediate);
            if (record.op == op::swizzle) {
                text += '.';
                for (std::uint32_t c = 0; c < swizzle_count(record.immediate); ++c)
                    text += component_letters[(record.immediate >> (4 * c)) & 3];
            }
        }
        return text;
    }

    void print_define(value_id v) {
        const value& record = m_[v];
        if (is_printed_inline(record.op)) return;
        const std::string arguments = print_arguments(v);
        if (info(record.op).result == result_rule::none)
            line("{}{}", info(record.op).name, arguments);
        else
            line("%{} = {}{} : {}", names_.of_value(v), info(record.op).name, arguments, print_type(m_, record.type));
    }

    /// Nothing in the block has a line of its own.
    bool is_blank(block_id b) const {
        const auto& statements = m_[b].statements;
        return std::all_of(statements.begin(), statements.end(), [&](const statement& s) {
            const auto* d = std::get_if<define>(&s);
            return d && is_printed_inline(m_[d->value].op);
        });
    }

    void print_statements(block_id b) {
        ++depth_;
        for (const statement& s : m_[b].statements) print_statement(s);
        --depth_;
    }

    void print_statement(const statement& s) {
        std::visit(overloaded{
                       [&](const define& d) { print_define(d.value); },
                       [&](const declare& d) {
                           line("declare %{}: {}", names_.of_variable(d.variable.number),
                                print_type(m_, m_[d.variable].type));
                       },
                       [&](const store& t) { line("store {}, {}", print_place(t.place), use(t.value)); },
                       [&](const if_statement& i) {
                           line("if {} {{", use(i.condition));
                           print_statements(i.then_block);
                           if (!is_blank(i.else_block)) {
                               line("}} else {{");
                               print_statements(i.else_block);
                           }
                           line("}}");
                       },
                       [&](const for_statement& l) {
                           line("for %{} = {} to {} step {} : {} {{", names_.of_value(l.induction), use(l.first),
                                use(l.last), use(l.step), print_type(m_, m_[l.induction].type));
                           print_statements(l.body);
                           line("}}");
                       },
                       [&](const while_statement& l) {
                           line("while {{");
                           print_statements(l.head);
                           line("}} {} {{", use(l.condition));
                           print_statements(l.body);
                           line("}}");
                       },
                       [&](const switch_statement& w) { print_switch(w); },
                       [&](const break_statement&) { line("break"); },
                       [&](const continue_statement&) { line("continue"); },
                       [&](const return_statement&) { line("return"); },
                       [&](const barrier&) { line("barrier"); },
                       [&](const fence& f) { line("fence {}", word(scope_words, f.scope)); },
                       [&](const assume& a) { line("assume {}", use(a.condition)); },
                   },
                   s);
    }

    void print_switch(const switch_statement& w) {
        line("switch {} {{", use(w.selector));
        ++depth_;
        for (const switch_case& one : m_.cases_of(w)) {
            line("case {} {{", print_literal({m_.type_of(w.selector).scalar, one.literal}));
            print_statements(one.body);
            line("}}");
        }
        line("default {{");
        print_statements(w.default_block);
        line("}}");
        --depth_;
        line("}}");
    }

    const module& m_;
    naming names_;
    std::string out_;
    std::size_t depth_ = 0;
};

}  // namespace

std::string print(const module& m) { return printer(m).run(); }

std::string print_type(const module& m, type_id t) {
    const type& whole = m[t];
    switch (whole.kind) {
        case type_kind::none: return "none";
        case type_kind::scalar: return std::string(name(whole.scalar));
        case type_kind::vector: return fmt::format("vec{}<{}>", whole.count, name(whole.scalar));
        case type_kind::array: return fmt::format("array<{}, {}>", print_type(m, whole.element), whole.count);
        case type_kind::structure: {
            std::string text = fmt::format("struct<{}, {}>{{", whole.size_bytes, whole.alignment_bytes);
            const auto members = m.members_of(t);
            for (std::size_t i = 0; i < members.size(); ++i) {
                const std::string_view name = distinct_name(members, i);
                text += fmt::format("{}@{}{}{}: {}", i == 0 ? "" : ", ", members[i].offset_bytes,
                                    name.empty() ? "" : " ", name, print_type(m, members[i].type));
            }
            return text + "}";
        }
    }
    return {};
}

}  // namespace quern::ir
