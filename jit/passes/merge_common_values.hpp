// Lets one pure value stand for all equal ones that it dominates, and one load for all loads of the same place in a
// buffer that does not change while the kernel runs.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void merge_common_values(ir::module& m);

}  // namespace quern::jit
