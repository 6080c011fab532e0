// Computes what is known now: exact scalar operations on constants, integer identities such as x + 0, branches whose
// condition is constant. Never touches operations that have an error bound.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void fold_constants(ir::module& m);

/// Turns the record of an exact scalar operation whose operands are all constants into a constant.
bool fold_exactly(ir::module& m, ir::value_id v);

}  // namespace quern::jit
