// Turns local arrays, structs and vectors that are only reached by constant indices and members into one variable a
// part, so that they live in registers and their parts can be forwarded one by one.
// Earns: a matrix tile whose four sums live across barriers has 381 lines of assembly, not 418.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void split_private_arrays(ir::module& m);

}  // namespace quern::jit
