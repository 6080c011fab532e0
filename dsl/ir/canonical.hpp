// The canonical form: what is hashed, cached, and handed to code generators in other modules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// The same kernel with dead values, dead loads, unused variables, types and empty statements removed; values that
/// nothing orders (runs of pure values and loads between effects) in an order that depends on the kernel's meaning
/// alone, not on the order in which C++ evaluated operands; everything renumbered by first use. Linear in the size.
module canonicalise(const module& m);

enum class side_tables : std::uint8_t { omit, include };

/// Deterministic bytes of a canonical module. With side tables omitted they are the identity of the kernel:
/// names and locations do not matter, everything else does. The kernel's own name is not part of it.
std::vector<std::byte> to_bytes(const module& m, side_tables tables = side_tables::omit);
/// The inverse. Throws usage_error on bytes that to_bytes does not make.
module from_bytes(std::span<const std::byte> bytes);

using hash128 = std::array<std::uint64_t, 2>;
/// XXH3-128 of to_bytes(m).
hash128 hash(const module& m);

}  // namespace quern::ir
