// Turns variables into values: where the last store or load of a local variable is known, a load is what was stored or
// loaded there; a store that the next one overwrites unread is dropped.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void forward_stores(ir::module& m);

}  // namespace quern::jit
