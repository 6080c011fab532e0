// How many vectors a loop over lanes carries at a time: as many as hide the latency of each other's operations and
// still find registers.
#pragma once

#include <cstdint>

#include "dsl/ir/module.hpp"

namespace quern::cpu::codegen {

/// 1, 2 or 4. `registers`: how many values of `lanes` scalars of 32 bits the machine's registers hold. `wanted`
/// overrides the choice (0: none), but not for kernels that can see what a subgroup is.
std::uint32_t vectors_in_flight(const ir::module& m, std::uint32_t lanes, std::uint32_t registers, std::uint32_t wanted);

}  // namespace quern::cpu::codegen
