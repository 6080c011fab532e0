// What a kernel needs: the statements, values and local variables that its effects depend on.
#pragma once

#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

struct liveness {
    std::vector<std::vector<bool>> statements;  ///< by block, then statement; false also behind a jump
    std::vector<bool> values;
    std::vector<bool> variables;  ///< local ones that are read

    bool at(block_id b, std::size_t statement) const { return statements[b.number][statement]; }
};

/// Roots are stores to buffers and shared memory, atomics, barriers, fences, subgroup operations, assume, jumps and
/// while loops, which may not end; a for loop always does. Linear.
liveness find_live(const module& m);

}  // namespace quern::ir
