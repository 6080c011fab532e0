// Turns counted loops whose trips are known into straight lines, innermost first, within a budget: indices become
// constants, private arrays become variables. Loops with a break, a continue or a barrier stay.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::jit {

void unroll_constant_loops(ir::module& m);

}  // namespace quern::jit
