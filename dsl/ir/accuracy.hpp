// How far a backend's result may lie from the correctly rounded one, by operation: the table of accuracy.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dsl/ir/op.hpp"
#include "dsl/ir/type.hpp"

namespace quern::ir {

struct error_bound {
    op code;
    std::uint32_t f32_ulp;
    std::uint32_t f64_ulp;
};

/// All rows, in the order of the table.
std::span<const error_bound> error_bounds();

/// Largest distance in units in the last place that a backend may have for this op on this float kind; 0 for exact
/// ops. half and bfloat16 are computed wider and rounded, so they get 1 where f32 has a bound. Nothing for subgroup
/// sums and products of floats, whose order is open.
std::optional<std::uint32_t> max_ulp(op code, scalar_kind k);

/// False where no bound is promised for this first operand: lgamma between its zeros on the negative axis.
bool bound_applies(op code, scalar_kind k, double operand);

}  // namespace quern::ir
