// Turns variables into values: where the last store or load of a local variable is known, a load is what was stored or
// loaded there; a store that the next one overwrites unread is dropped.
// Earns: indices kept in variables stay linear in the position; an unrolled matrix tile has 112 statements, not 142.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void forward_stores(ir::module& m);

}  // namespace quern::jit
