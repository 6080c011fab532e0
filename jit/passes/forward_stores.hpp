// Turns variables that never vary into values: a local variable that is stored once, right after it was declared,
// and only read as a whole, is the value that was stored.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void forward_stores(ir::module& m);

}  // namespace quern::jit
