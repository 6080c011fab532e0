// Computes what is known now: exact scalar operations on constants, integer identities such as x + 0, branches whose
// condition is constant. Never touches operations that have an error bound.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void fold_constants(ir::module& m);

}  // namespace quern::jit
