// Recursive descent over the printed form; text.hpp holds the entry. Bounded in depth, never crashes on any bytes.
// Split over parser.cpp (kernel, statements), parser_types.cpp (types, places) and parser_values.cpp (values).
#pragma once

#include <fmt/format.h>

#include <quern/error.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsl/ir/builder.hpp"
#include "dsl/ir/lexer.hpp"
#include "dsl/ir/literal.hpp"

namespace quern::ir {

class parser {
public:
    parser(std::string_view text, std::string_view file);
    module run();

private:
    enum class symbol_kind : std::uint8_t { parameter, variable, value };
    struct symbol {
        symbol_kind kind;
        std::uint32_t number;
    };

    template <class... T>
    [[noreturn]] void fail(fmt::format_string<T...> format, T&&... arguments) const {
        throw usage_error(
            fmt::format("{}:{}: {}", file_, token_.line, fmt::format(format, std::forward<T>(arguments)...)));
    }

    // tokens
    void advance() { token_ = lexer_.next(); }
    bool at(token_kind kind) const { return token_.kind == kind; }
    bool at_mark(char c) const { return at(token_kind::mark) && token_.spelling[0] == c; }
    bool at_word(std::string_view w) const { return at(token_kind::word) && token_.spelling == w; }
    bool accept_mark(char c);
    bool accept_word(std::string_view w);
    void expect_mark(char c);
    void expect_word(std::string_view w);
    std::string_view expect(token_kind kind, std::string_view what);
    std::uint32_t expect_u32(std::string_view what);
    literal expect_literal();

    // kernel and statements
    void parse_header();
    void parse_declarations();
    block_id parse_block();
    /// What is appended from now on stands in this line.
    void locate(std::uint32_t line);
    void parse_statements();
    void parse_statement();
    void parse_declare();
    void parse_store();
    void parse_if();
    void parse_for();
    void parse_while();
    void parse_switch();

    // types and places
    type_id parse_type();
    type_id parse_struct();
    place_id parse_place();
    std::uint32_t parse_member(type_id inside);

    // values
    void parse_named_value();
    value_id parse_value(op code);
    std::uint64_t parse_dimension();
    std::uint64_t parse_swizzle();
    value_id parse_operand();
    void declare_name(std::string_view name, symbol s);
    symbol find_name(std::string_view name) const;
    void name_value(value_id v, std::string_view name);

    lexer lexer_;
    std::string file_;
    token token_;
    module module_;
    builder build_{module_};
    std::unordered_map<std::string, symbol> symbols_;
    std::uint32_t depth_ = 0;  ///< of open blocks
    std::uint32_t type_depth_ = 0;
    std::uint32_t located_line_ = 0;
};

}  // namespace quern::ir
