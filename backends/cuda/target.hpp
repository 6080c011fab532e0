// What a CUDA target is: an architecture by its name ("sm_90", "sm_90a"), with what is known of it without a device.
#pragma once

#include <string>
#include <string_view>

#include "backends/backend.hpp"

namespace quern::cuda {

/// The target "sm_90", also spelled "cuda:sm_90"; an empty info.name for anything else.
backends::target find_target(std::string_view name);
/// Features, subgroup size and limits that every device of a compute capability (90) has.
target_info info_of(int compute_capability);

}  // namespace quern::cuda
