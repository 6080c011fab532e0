// Drops what no effect depends on; what is left is canonical.
#pragma once

#include "dsl/ir/canonical.hpp"

namespace quern::jit {

inline void remove_dead_code(ir::module& m) { m = ir::canonicalise(m); }

}  // namespace quern::jit
