// Vulkan's loader, opened at run time, and the process's one VkInstance, with validation where tests ask for it.
#pragma once

#include <memory>
#include <string>

#include "backends/vulkan/context.hpp"

namespace quern::vulkan {

/// The instance, made at the first call; null with the reason where there is no loader or driver.
std::shared_ptr<instance> shared_instance(std::string& reason);

/// Validation layers: on when QUERN_VULKAN_VALIDATION is set and they are installed.
struct validation_report {
    bool is_active = false;
    std::uint64_t errors = 0;       ///< messages of severity error or warning since the process began
    std::string last;
};
validation_report validation();

}  // namespace quern::vulkan
