#include "dsl/ir/lexer.hpp"

#include <algorithm>

namespace quern::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// Length of the longest prefix from `from` on whose characters all satisfy `is`, as an end position.
template <class Is>
std::size_t scan(std::string_view text, std::size_t from, Is is) {
    while (from < text.size() && is(text[from])) ++from;
    return from;
}

std::size_t scan_number(std::string_view text) {
    std::size_t end = 1;
    while (end < text.size()) {
        const bool exponent_sign = (text[end] == '-' || text[end] == '+') && text[end - 1] == 'e';
        if (!is_word(text[end]) && text[end] != '.' && !exponent_sign) break;
        ++end;
    }
    return end;
}

std::size_t scan_name(std::string_view text) {
    std::size_t end = scan(text, 1, is_word);
    if (end > 1 && end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]))
        end = scan(text, end + 1, is_digit);
    return end;
}

}  // namespace

token lexer::next() {
    skip_blanks();
    if (rest_.empty()) return {token_kind::end, "end of text", line_};
    const char c = rest_[0];
    if (is_letter(c)) return take(token_kind::word, scan(rest_, 0, is_word));
    if (is_digit(c) || c == '-') return take(token_kind::number, scan_number(rest_));
    if (c == '%' && scan_name(rest_) > 1) return take(token_kind::name, scan_name(rest_), 1);
    if (c == '"') {
        const std::size_t close = rest_.find_first_of("\"\n", 1);
        if (close != std::string_view::npos && rest_[close] == '"') return take(token_kind::text, close + 1, 1, 1);
        return take(token_kind::unknown, 1);
    }
    const bool mark = std::string_view("{}[]()<>,:=.@").find(c) != std::string_view::npos;
    return take(mark ? token_kind::mark : token_kind::unknown, 1);
}

void lexer::skip_blanks() {
    while (!rest_.empty()) {
        const char c = rest_[0];
        if (c == '#') {
            rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            if (c == '\n') ++line_;
            rest_.remove_prefix(1);
        } else {
            return;
        }
    }
}

token lexer::take(token_kind kind, std::size_t length, std::size_t trim_front, std::size_t trim_back) {
    const token t{kind, rest_.substr(trim_front, length - trim_front - trim_back), line_};
    rest_.remove_prefix(length);
    return t;
}

}  // namespace quern::ir
