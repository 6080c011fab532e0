// Cells: every legal pair of an operation and the types it takes, derived from ops.def. The generator draws from them,
// the statistics count them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::fuzz {

/// A scalar (width 1) or a vector. Kind none: no type.
struct shape {
    ir::scalar_kind kind = ir::scalar_kind::none;
    std::uint32_t width = 1;

    friend constexpr auto operator<=>(const shape&, const shape&) = default;
    constexpr shape with(ir::scalar_kind k) const { return {k, width}; }
    constexpr shape component() const { return {kind, 1}; }
};

constexpr std::uint32_t size_bytes(shape s) { return ir::size_bytes(s.kind) * s.width; }

/// The shape of a scalar or vector type; kind none for others.
shape shape_of(const ir::type& t);
shape shape_of(const ir::module& m, ir::value_id v);
ir::type_id intern(ir::module& m, shape s);
std::string to_string(shape s);

/// An op with the types that tell its cases apart. `operand` is the type of operand 0, of atomics the place's type,
/// none for ops without operands; `result` is given where the operand does not determine it (target of conversions,
/// what select chooses, type of leaves and loads, index type of extract_dynamic), none elsewhere.
struct cell {
    ir::op op = ir::op::constant;
    shape operand;
    shape result;

    friend constexpr auto operator<=>(const cell&, const cell&) = default;
};

std::string to_string(const cell& c);

/// Every scalar that the language has.
std::span<const ir::scalar_kind> default_kinds();

/// All legal cells over these kinds and their vectors of 2 to 4, in a fixed order.
std::vector<cell> enumerate_cells(std::span<const ir::scalar_kind> kinds);

/// The cell that a value of a module exercises; nothing where its types are no scalars or vectors.
std::optional<cell> cell_of(const ir::module& m, ir::value_id v);

}  // namespace quern::fuzz
