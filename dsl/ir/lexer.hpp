// Tokens of the printed form. Accepts any bytes; what is no token becomes one of kind `unknown`.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::ir {

enum class token_kind : std::uint8_t { word, name, number, text, mark, unknown, end };

struct token {
    token_kind kind = token_kind::end;
    std::string_view spelling;  ///< of names without the '%', of texts without the quotes
    std::uint32_t line = 1;
};

/// Words are [A-Za-z_][A-Za-z0-9_]*, names %word or %word.digits, numbers begin with a digit or '-', texts stand in
/// double quotes, marks are single characters, '#' begins a comment.
class lexer {
public:
    explicit lexer(std::string_view text) : rest_(text) {}
    token next();

private:
    void skip_blanks();
    token take(token_kind kind, std::size_t length, std::size_t trim_front = 0, std::size_t trim_back = 0);

    std::string_view rest_;
    std::uint32_t line_ = 1;
};

}  // namespace quern::ir
