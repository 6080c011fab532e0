#include "dsl/ir/naming.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "name" or "name.3" as the lexer reads them stay as they are, so that printing what was parsed changes nothing.
std::string make_readable(const std::string& name) {
    const std::size_t dot = name.find('.');
    const bool numbered = dot != std::string::npos && dot > 0 && dot + 1 < name.size() &&
                          std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(), is_digit);
    std::string readable = name;
    for (std::size_t i = 0; i < readable.size(); ++i)
        if (!is_word(readable[i]) && !(numbered && i == dot)) readable[i] = '_';
    return readable;
}

}  // namespace

bool is_identifier(std::string_view text) {
    return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_word);
}

naming::naming(const module& m)
    : values_(m.values.size()), variables_(m.variables.size()), parameters_(m.parameters.size()) {
    for (std::uint32_t i = 0; i < m.parameters.size(); ++i) parameters_[i] = unique(m.parameter_names, i, 'p');
    for (std::uint32_t i = 0; i < m.variables.size(); ++i)
        if (m.variables[i].storage == storage::shared) variables_[i] = unique(m.variable_names, i, 's');
    name_block(m, m.body);
}

void naming::name_value(const module& m, value_id v) {
    if (!is_printed_inline(m[v].op)) values_[v.number] = unique(m.value_names, v.number, 'v');
}

void naming::name_block(const module& m, block_id b) {
    for (const statement& s : m[b].statements) {
        if (const auto* d = std::get_if<define>(&s)) name_value(m, d->value);
        if (const auto* d = std::get_if<declare>(&s))
            variables_[d->variable.number] = unique(m.variable_names, d->variable.number, 't');
        if (const auto* l = std::get_if<for_statement>(&s)) name_value(m, l->induction);
        for_each_block(m, s, [&](block_id inner) { name_block(m, inner); });
    }
}

std::string naming::unique(const std::vector<std::string>& wanted, std::uint32_t number, char fallback) {
    std::string name = number < wanted.size() ? make_readable(wanted[number]) : std::string{};
    if (name.empty()) {
        std::uint32_t& next = unnamed_[fallback];
        do name = fmt::format("{}{}", fallback, next++);
        while (taken_.contains(name));
    }
    const auto [entry, fresh] = taken_.try_emplace(name, 1);
    if (fresh) return name;
    const std::string base = name.substr(0, name.find('.'));
    std::string candidate;
    do candidate = fmt::format("{}.{}", base, taken_[base]++);
    while (!taken_.try_emplace(candidate, 1).second);
    return candidate;
}

}  // namespace quern::ir
