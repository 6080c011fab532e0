#include "jit/passes/pipeline.hpp"

#include <quern/error.hpp>

#include <array>
#include <string>

#include "dsl/ir/validator.hpp"
#include "jit/passes/fold_constants.hpp"
#include "jit/passes/forward_stores.hpp"
#include "jit/passes/hoist_loop_invariants.hpp"
#include "jit/passes/merge_common_values.hpp"
#include "jit/passes/remove_dead_code.hpp"
#include "jit/passes/split_private_arrays.hpp"
#include "jit/passes/unroll_constant_loops.hpp"

namespace quern::jit {

std::span<const pass> passes() {
    // Variables that are values hide constants, also those that bound a loop; straight lines have constant indices, so
    // that arrays become variables, which are values; folding makes values equal; merging leaves what is dead.
    static constexpr std::array table{
        pass{"forward_stores", forward_stores},
        pass{"fold_constants", fold_constants},
        pass{"unroll_constant_loops", unroll_constant_loops},
        pass{"forward_stores", forward_stores},
        pass{"fold_constants", fold_constants},
        pass{"split_private_arrays", split_private_arrays},
        pass{"forward_stores", forward_stores},
        pass{"fold_constants", fold_constants},
        pass{"merge_common_values", merge_common_values},
        pass{"hoist_loop_invariants", hoist_loop_invariants},
        pass{"remove_dead_code", remove_dead_code},
    };
    return table;
}

void optimise(ir::module& m) {
    for (const pass& p : passes()) {
        p.run(m);
#ifndef NDEBUG
        try {
            ir::validate(m);
        } catch (const error& broken) {
            throw internal_error("pass " + std::string(p.name) + " broke the kernel: " + broken.what());
        }
#endif
    }
}

}  // namespace quern::jit
