// The operations as an enum with the facts of ops.def; nothing here is written by hand twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quern::ir {

enum class op : std::uint8_t {
#define QUERN_OP(name, arity, operands, result, effects) name,
#include <quern/detail/ops.def>
#undef QUERN_OP
};

enum class operand_rule : std::uint8_t {
    none, arithmetic, integral, floating, bits, any, selection, conversion, reinterpret, components, component,
    replacement, dynamic, lanes, boolean, lane_value, lane_select, atomic,
};
enum class result_rule : std::uint8_t { same, last, boolean, scalar, given, none };
enum class effect : std::uint8_t { pure, load, atomic, convergent };

struct op_info {
    std::string_view name;
    int arity;  ///< -1: any number
    operand_rule operands;
    result_rule result;
    ir::effect effect;
};

inline constexpr auto op_table = std::to_array<op_info>({
#define QUERN_OP(name, arity, operands, result, effects) \
    {#name, arity, operand_rule::operands, result_rule::result, ir::effect::effects},
#include <quern/detail/ops.def>
#undef QUERN_OP
});

inline constexpr std::size_t op_count = op_table.size();

constexpr const op_info& info(op code) { return op_table[static_cast<std::size_t>(code)]; }

/// The op of this name, or nothing.
constexpr std::optional<op> find_op(std::string_view name) {
    for (std::size_t i = 0; i < op_count; ++i)
        if (op_table[i].name == name) return static_cast<op>(i);
    return std::nullopt;
}

}  // namespace quern::ir
