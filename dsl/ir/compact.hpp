// Rebuilds a module's arenas from its statements: everything numbered by first use in program order, one place record
// a use, nothing unreferenced. The order of statements and the meaning stay as they are.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::ir {

module compact(const module& m);

}  // namespace quern::ir
