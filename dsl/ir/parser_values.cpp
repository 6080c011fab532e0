// The parser's share for values and names.
#include "dsl/ir/effects.hpp"
#include "dsl/ir/keywords.hpp"
#include "dsl/ir/naming.hpp"
#include "dsl/ir/parser.hpp"

namespace quern::ir {

void parser::parse_named_value() {
    const std::string_view name = expect(token_kind::name, "a %name");
    expect_mark('=');
    const std::string_view word = expect(token_kind::word, "an operation");
    const auto code = find_op(word);
    if (!code || is_printed_inline(*code) || *code == op::induction || info(*code).result == result_rule::none)
        fail("'{}' is no operation with a result", word);
    name_value(parse_value(*code), name);
}

/// From behind the op's name to the end of the line.
value_id parser::parse_value(op code) {
    std::uint64_t immediate = 0;
    std::vector<value_id> operands;
    bool first = true;
    if (has_dimension(code)) immediate = parse_dimension();
    if (code == op::buffer_size) {
        const std::string_view name = expect(token_kind::name, "a buffer");
        const symbol s = find_name(name);
        if (s.kind != symbol_kind::parameter) fail("%{} is no buffer", name);
        immediate = s.number;
    }
    if (accesses_memory(code)) {
        immediate = parse_place().number;
        first = false;
    }
    const int arity = info(code).arity;
    for (int i = 0; i < arity || (arity < 0 && !at_mark(':')); ++i) {
        if (!first) expect_mark(',');
        first = false;
        operands.push_back(parse_operand());
        if (i > 0) continue;
        if (code == op::extract || code == op::insert) {
            expect_mark('[');
            immediate = expect_u32("a component or member number");
            expect_mark(']');
        }
        if (code == op::swizzle) immediate = parse_swizzle();
    }
    type_id type;
    if (info(code).result != result_rule::none) {
        expect_mark(':');
        type = parse_type();
    }
    return build_.define(code, operands, immediate, type);
}

std::uint64_t parser::parse_dimension() {
    expect_mark('.');
    const std::string_view letter = expect(token_kind::word, "x, y or z");
    const std::size_t dimension = letter.size() == 1 ? component_letters.find(letter[0]) : 3;
    if (dimension > 2) fail("expected x, y or z, not '{}'", letter);
    return dimension;
}

std::uint64_t parser::parse_swizzle() {
    expect_mark('.');
    const std::string_view letters = expect(token_kind::word, "components");
    if (letters.size() > 4) fail("a swizzle has at most 4 components");
    std::uint64_t immediate = 0;
    std::uint32_t shift = 0;
    for (const char c : letters) {
        const std::size_t component = component_letters.find(c);
        if (component == std::string_view::npos) fail("'{}' is no component", c);
        immediate |= static_cast<std::uint64_t>(component) << shift;
        shift += 4;
    }
    return immediate | std::uint64_t{15} << shift;
}

/// Constants and value parameters are defined right where they are used.
value_id parser::parse_operand() {
    if (!at(token_kind::name)) {
        const literal l = expect_literal();
        return build_.constant(l.kind, l.bits);
    }
    const std::string_view name = token_.spelling;
    const symbol s = find_name(name);
    advance();
    if (s.kind == symbol_kind::value) return {s.number};
    if (s.kind == symbol_kind::variable || module_.parameters[s.number].kind == parameter_kind::buffer)
        fail("%{} is a place; load it first", name);
    return build_.define(op::parameter, {}, s.number);
}

void parser::declare_name(std::string_view name, symbol s) {
    if (!symbols_.try_emplace(std::string(name), s).second) fail("%{} is named twice", name);
}

parser::symbol parser::find_name(std::string_view name) const {
    const auto found = symbols_.find(std::string(name));
    if (found == symbols_.end()) fail("%{} is not known here", name);
    return found->second;
}

void parser::name_value(value_id v, std::string_view name) {
    declare_name(name, {symbol_kind::value, v.number});
    module_.value_names.resize(module_.values.size());
    module_.value_names[v.number] = name;
}

}  // namespace quern::ir
