// Replaces what SPIR-V does not say, or does not say exactly enough, by sequences of IR that it does: see lower/.
#pragma once

#include <vector>

#include "backends/spirv/features.hpp"
#include "dsl/ir/module.hpp"

namespace quern::spirv {

struct lowered_module {
    ir::module module;
    std::vector<bool> exact;  ///< by value: must not be contracted, whatever the module's math mode says
};

lowered_module lower_module(const ir::module& m, const features& f);

}  // namespace quern::spirv
