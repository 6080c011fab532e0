// The words of the printed form that stand for enumerators: one table an enum, read by the printer and the parser.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "dsl/ir/module.hpp"

namespace quern::ir {

inline constexpr std::array<std::string_view, 3> launch_words{"over", "groups", "tiles"};
inline constexpr std::array<std::string_view, 3> math_words{"contract", "precise", "fast"};
inline constexpr std::array<std::string_view, 3> access_words{"in", "out", "inout"};
inline constexpr std::array<std::string_view, 2> scope_words{"workgroup", "device"};
inline constexpr std::string_view component_letters = "xyzw";

template <class Enum, std::size_t N>
constexpr std::string_view word(const std::array<std::string_view, N>& words, Enum e) {
    return words[static_cast<std::size_t>(e)];
}

/// The enumerator of this word, or nothing.
template <class Enum, std::size_t N>
constexpr std::optional<Enum> find_word(const std::array<std::string_view, N>& words, std::string_view text) {
    for (std::size_t i = 0; i < N; ++i)
        if (words[i] == text) return static_cast<Enum>(i);
    return std::nullopt;
}

/// Ops whose immediate is a dimension.
constexpr bool has_dimension(op code) {
    return code == op::global_id || code == op::local_id || code == op::workgroup_id || code == op::workgroup_count ||
           code == op::extent;
}

}  // namespace quern::ir
