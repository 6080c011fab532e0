// When two results count as equal: bits, any NaN for any NaN, or the bound of accuracy.def.
#pragma once

#include <cstdint>
#include <optional>

#include "dsl/ir/op.hpp"
#include "dsl/ir/type.hpp"

namespace quern::tests {

/// Steps between two floats of a kind, counted over the numbers between them; infinity is the step after the largest.
std::uint64_t ulp_distance(ir::scalar_kind k, std::uint64_t a, std::uint64_t b);

/// Whether `got` is acceptable where the reference gave `expected`. Zeros must agree in sign.
bool acceptable(ir::op code, ir::scalar_kind k, std::uint64_t got, std::uint64_t expected);

}  // namespace quern::tests
