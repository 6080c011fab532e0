#include "dsl/trace/source_names.hpp"

#include <algorithm>
#include <array>

namespace quern::trace {

namespace {

constexpr std::array<std::string_view, 6> declaring_words{"val", "var", "place", "auto", "shared", "local_array"};

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view word_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    return text.substr(at, end - at);
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

/// Past a template argument list that begins at `at`, if one does.
std::size_t skip_angles(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '<') return at;
    int depth = 0;
    for (; at < text.size(); ++at) {
        depth += (text[at] == '<') - (text[at] == '>');
        if (depth == 0) return at + 1;
    }
    return at;
}

/// The last word of a parameter such as "const val<float> a".
std::string last_word(std::string_view parameter) {
    std::size_t end = parameter.size();
    while (end > 0 && !is_word(parameter[end - 1])) --end;
    std::size_t first = end;
    while (first > 0 && is_word(parameter[first - 1])) --first;
    return std::string(parameter.substr(first, end - first));
}

}  // namespace

std::vector<declared_name> declared_names(std::string_view line) {
    std::vector<declared_name> names;
    for (std::size_t i = 0; i < line.size();) {
        if (line.substr(i, 2) == "//") break;
        if (!is_word(line[i])) {
            ++i;
            continue;
        }
        const std::string_view word = word_at(line, i);
        i += word.size();
        if (std::ranges::find(declaring_words, word) == declaring_words.end()) continue;
        std::size_t at = skip_spaces(line, skip_angles(line, i));
        while (at < line.size() && line[at] == '&') at = skip_spaces(line, at + 1);
        const std::string_view name = word_at(line, at);
        const std::size_t after = skip_spaces(line, at + name.size());
        if (name.empty() || after >= line.size()) continue;
        const std::string_view ends = line.substr(after, 1);
        if (ends == "=" || ends == "{" || ends == "(" || ends == ";")
            names.push_back({name, declared_as::statement, line.substr(skip_spaces(line, after + 1))});
        else if (ends == ")" || ends == ",") names.push_back({name, declared_as::lambda_parameter, {}});
    }
    return names;
}

std::vector<std::string> parameter_names(const source_lines& source, std::string_view file, std::uint32_t line,
                                         std::string_view name, std::size_t count) {
    constexpr std::uint32_t lines_ahead = 3, lines_back = 500, lines_to_read = 12;
    const std::string quoted = '"' + std::string(name) + '"';
    const auto names_it = [&](std::uint32_t l) { return source.line(file, l).find(quoted) != std::string_view::npos; };
    std::uint32_t first_line = line;
    while (first_line < line + lines_ahead && !names_it(first_line)) ++first_line;
    if (!names_it(first_line)) {
        first_line = line;
        while (first_line > 0 && line - first_line < lines_back && !names_it(first_line)) --first_line;
    }
    if (!names_it(first_line)) return {};
    std::string text;
    for (std::uint32_t l = 0; l < lines_to_read; ++l) {
        std::string_view next = source.line(file, first_line + l);
        if (l == 0) next = next.substr(next.find(quoted));
        text += next.substr(0, std::min(next.find("//"), next.size()));
        text += ' ';
    }
    const std::size_t open = text.find("](");
    if (open == std::string::npos) return {};
    std::vector<std::string> names;
    int depth = 0;
    std::size_t first = open + 2;
    for (std::size_t i = open + 1; i < text.size(); ++i) {
        const char c = text[i];
        depth += (c == '(' || c == '<') - (c == ')' || c == '>');
        if ((c == ',' && depth == 1) || depth == 0) {
            names.push_back(last_word(std::string_view(text).substr(first, i - first)));
            first = i + 1;
        }
        if (depth == 0) break;
    }
    const bool usable = depth == 0 && names.size() == count &&
                        std::ranges::none_of(names, [](const std::string& n) { return n.empty(); });
    return usable ? names : std::vector<std::string>{};
}

}  // namespace quern::trace
