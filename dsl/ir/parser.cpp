#include "dsl/ir/parser.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "dsl/ir/keywords.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/traversal.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {

module parse(std::string_view text, std::string_view file) {
    module m = parser(text, file).run();
    try {
        check_well_formed(m);
    } catch (const malformation& found) {
        const bool located = found.text.starts_with(file);
        throw usage_error(located ? found.text : fmt::format("{}: {}", file, found.text));
    }
    return m;
}

parser::parser(std::string_view text, std::string_view file) : lexer_(text), file_(file) {
    advance();
    module_.files.emplace_back(file);
}

module parser::run() {
    parse_header();
    parse_declarations();
    build_.begin_block();
    parse_statements();
    module_.body = build_.end_block();
    expect_mark('}');
    if (!at(token_kind::end)) fail("expected the end of the text after the kernel, not '{}'", token_.spelling);
    return std::move(module_);
}

bool parser::accept_mark(char c) {
    if (!at_mark(c)) return false;
    advance();
    return true;
}

bool parser::accept_word(std::string_view w) {
    if (!at_word(w)) return false;
    advance();
    return true;
}

void parser::expect_mark(char c) {
    if (!accept_mark(c)) fail("expected '{}', not '{}'", c, token_.spelling);
}

void parser::expect_word(std::string_view w) {
    if (!accept_word(w)) fail("expected '{}', not '{}'", w, token_.spelling);
}

std::string_view parser::expect(token_kind kind, std::string_view what) {
    if (!at(kind)) fail("expected {}, not '{}'", what, token_.spelling);
    const std::string_view spelling = token_.spelling;
    advance();
    return spelling;
}

std::uint32_t parser::expect_u32(std::string_view what) {
    std::uint32_t value = 0;
    const std::string_view digits = token_.spelling;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!at(token_kind::number) || read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
        fail("expected {} (a whole number below 2^32), not '{}'", what, digits);
    advance();
    return value;
}

literal parser::expect_literal() {
    const std::string_view spelling = token_.spelling;
    if (at(token_kind::word) && find_scalar(spelling) != scalar_kind::none) {
        const scalar_kind kind = find_scalar(spelling);
        advance();
        expect_mark('(');
        const std::string_view bits = token_.spelling;
        if (!at(token_kind::word) && !at(token_kind::number)) fail("expected the bits of a constant, not '{}'", bits);
        const auto read = parse_literal_bits(kind, bits);
        // "-inf" arrives as the number "-inf": the lexer reads letters after a sign.
        if (!read) fail("'{}' are no bits of a {}", bits, name(kind));
        advance();
        expect_mark(')');
        return *read;
    }
    const auto read = parse_literal(spelling);
    if (!read || at(token_kind::text) || at(token_kind::name))
        fail("expected a value or a constant such as 3u32, not '{}'", spelling);
    advance();
    return *read;
}

void parser::parse_header() {
    expect_word("kernel");
    const std::string_view quoted = expect(token_kind::text, "the kernel's name in double quotes");
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        unsigned char c = static_cast<unsigned char>(quoted[i]);
        if (c == '\\' && i + 2 < quoted.size()) {
            if (std::from_chars(&quoted[i + 1], &quoted[i + 1] + 2, c, 16).ptr != &quoted[i + 1] + 2)
                fail("a backslash in a name is followed by two hexadecimal digits");
            i += 2;
        }
        module_.name += static_cast<char>(c);
    }
    const auto launch = find_word<launch_kind>(launch_words, token_.spelling);
    if (!launch) fail("expected over, groups or tiles, not '{}'", token_.spelling);
    module_.launch = *launch;
    advance();
    if (accept_word("workgroup"))
        for (std::uint32_t& extent : module_.workgroup_size) extent = expect_u32("a workgroup extent");
    if (accept_word("covers"))
        for (std::uint32_t& extent : module_.covers) extent = expect_u32("a tile extent");
    expect_word("math");
    const auto math = find_word<math_mode>(math_words, token_.spelling);
    if (!math) fail("expected contract, precise or fast, not '{}'", token_.spelling);
    module_.math = *math;
    advance();
    module_.cooperative = accept_word("cooperative");
    expect_mark('{');
}

void parser::parse_declarations() {
    while (at_word("buffer") || at_word("value")) {
        parameter p;
        if (accept_word("value")) {
            p.kind = parameter_kind::value;
        } else {
            advance();
            p.aliased = accept_word("aliased");
            const auto access = find_word<ir::access>(access_words, token_.spelling);
            if (!access) fail("expected in, out or inout, not '{}'", token_.spelling);
            p.access = *access;
            advance();
        }
        const std::string_view name = expect(token_kind::name, "the parameter's %name");
        expect_mark(':');
        p.type = parse_type();
        declare_name(name, {symbol_kind::parameter, build_.add_parameter(p).number});
        module_.parameter_names.emplace_back(name);
    }
    while (accept_word("shared")) {
        const std::string_view name = expect(token_kind::name, "the variable's %name");
        expect_mark(':');
        const variable_id v = build_.add_variable({storage::shared, parse_type()});
        declare_name(name, {symbol_kind::variable, v.number});
        module_.variable_names.emplace_back(name);
    }
}

block_id parser::parse_block() {
    expect_mark('{');
    build_.begin_block();
    parse_statements();
    expect_mark('}');
    return build_.end_block();
}

void parser::parse_statements() {
    if (++depth_ > max_block_depth) fail("blocks are nested more than {} deep", max_block_depth);
    const std::uint32_t outer = located_line_;
    while (!at_mark('}') && !at(token_kind::end)) parse_statement();
    if (outer != 0) locate(outer);  // the statement that owns the block is appended behind it
    --depth_;
}

void parser::locate(std::uint32_t line) {
    if (line == located_line_) return;
    located_line_ = line;
    module_.locations.push_back({file_id{0}, line, 0});
    build_.set_location({static_cast<std::uint32_t>(module_.locations.size() - 1)});
}

void parser::parse_statement() {
    locate(token_.line);
    if (at(token_kind::name)) return parse_named_value();

    struct keyword {
        std::string_view word;
        void (*parse)(parser&);
    };
    static constexpr std::array keywords{
        keyword{"declare", [](parser& p) { p.parse_declare(); }},
        keyword{"store", [](parser& p) { p.parse_store(); }},
        keyword{"if", [](parser& p) { p.parse_if(); }},
        keyword{"for", [](parser& p) { p.parse_for(); }},
        keyword{"while", [](parser& p) { p.parse_while(); }},
        keyword{"switch", [](parser& p) { p.parse_switch(); }},
        keyword{"break", [](parser& p) { p.build_.append(break_statement{}); }},
        keyword{"continue", [](parser& p) { p.build_.append(continue_statement{}); }},
        keyword{"return", [](parser& p) { p.build_.append(return_statement{}); }},
        keyword{"barrier", [](parser& p) { p.build_.append(barrier{}); }},
        keyword{"fence",
                [](parser& p) {
                    const auto s = find_word<scope>(scope_words, p.token_.spelling);
                    if (!s) p.fail("expected workgroup or device, not '{}'", p.token_.spelling);
                    p.advance();
                    p.build_.append(fence{*s});
                }},
        keyword{"assume", [](parser& p) { p.build_.append(assume{p.parse_operand()}); }},
    };
    for (const keyword& k : keywords)
        if (accept_word(k.word)) return k.parse(*this);

    const auto code = find_op(token_.spelling);
    if (!at(token_kind::word) || !code || info(*code).result != result_rule::none)
        fail("expected a statement, not '{}'", token_.spelling);
    advance();
    parse_value(*code);
}

void parser::parse_declare() {
    const std::string_view name = expect(token_kind::name, "the variable's %name");
    expect_mark(':');
    const variable_id v = build_.add_variable({storage::local, parse_type()});
    declare_name(name, {symbol_kind::variable, v.number});
    module_.variable_names.emplace_back(name);
    build_.append(declare{v});
}

void parser::parse_store() {
    const place_id to = parse_place();
    expect_mark(',');
    build_.append(store{to, parse_operand()});
}

void parser::parse_if() {
    const value_id condition = parse_operand();
    const block_id then_block = parse_block();
    block_id else_block;
    if (accept_word("else")) {
        else_block = parse_block();
    } else {
        build_.begin_block();
        else_block = build_.end_block();
    }
    build_.append(if_statement{condition, then_block, else_block});
}

void parser::parse_for() {
    const std::string_view name = expect(token_kind::name, "the loop's %name");
    expect_mark('=');
    const value_id first = parse_operand();
    expect_word("to");
    const value_id last = parse_operand();
    expect_word("step");
    const value_id step = parse_operand();
    expect_mark(':');
    const value_id induction = build_.make(op::induction, parse_type(), {});
    name_value(induction, name);
    const block_id body = parse_block();
    build_.append(for_statement{induction, first, last, step, body});
}

void parser::parse_while() {
    expect_mark('{');
    build_.begin_block();
    parse_statements();
    expect_mark('}');
    const value_id condition = parse_operand();  // a constant is defined in the head
    const block_id head = build_.end_block();
    const block_id body = parse_block();
    build_.append(while_statement{head, condition, body});
}

void parser::parse_switch() {
    const value_id selector = parse_operand();
    const scalar_kind kind = module_.type_of(selector).scalar;
    expect_mark('{');
    std::vector<switch_case> cases;
    while (accept_word("case")) {
        const literal l = expect_literal();
        if (l.kind != kind) fail("the case is a {}, the selector a {}", name(l.kind), name(kind));
        cases.push_back({l.bits, parse_block()});
    }
    expect_word("default");
    const block_id default_block = parse_block();
    expect_mark('}');
    build_.append_switch(selector, cases, default_block);
}

}  // namespace quern::ir
