#include "jit/passes/pipeline.hpp"

#include <quern/error.hpp>

#include <array>
#include <string>

#include "dsl/ir/validator.hpp"
#include "jit/passes/fold_constants.hpp"
#include "jit/passes/forward_stores.hpp"
#include "jit/passes/merge_common_values.hpp"
#include "jit/passes/remove_dead_code.hpp"

namespace quern::jit {

std::span<const pass> passes() {
    // Variables that are values hide constants; folding makes values equal; merging leaves what is dead.
    static constexpr std::array table{
        pass{"forward_stores", forward_stores},
        pass{"fold_constants", fold_constants},
        pass{"merge_common_values", merge_common_values},
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
