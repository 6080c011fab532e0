// The executable meaning of scalar operations: constant folding and the reference interpreter both ask here.
#pragma once

#include <cstdint>
#include <span>

#include "dsl/ir/op.hpp"
#include "dsl/ir/type.hpp"

namespace quern::ir {

/// Bits of a pure scalar op. `operand` is the kind of operand 0 (of operand 1 for select), `result` that of the
/// result; bits are zero-extended (bool: 0 or 1, f32: the IEEE bits). Floats are rounded after each operation.
/// Throws internal_error for ops that are not scalar and pure (leaves, vectors, memory, subgroups).
std::uint64_t evaluate(op code, scalar_kind result, scalar_kind operand, std::span<const std::uint64_t> operands);

/// True where every backend gives evaluate's bits in precise mode (integers, + - * / sqrt fma, rounding, comparisons,
/// conversions …); false for functions that have an error bound instead (sin, pow …).
bool is_exact(op code);

}  // namespace quern::ir
