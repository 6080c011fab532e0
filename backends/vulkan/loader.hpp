// Vulkan's loader, opened at run time, and the process's one VkInstance, with validation where tests ask for it.
#pragma once

#include <memory>
#include <string>

#include "backends/vulkan/context.hpp"

namespace quern::vulkan {

/// The instance, made at the first call; null with the reason where there is no loader or driver.
std::shared_ptr<instance> shared_instance(std::string& reason);

/// QUERN_VULKAN_VALIDATION is set: modules are validated, and layers are on where they are installed.
bool validation_is_wanted();

struct validation_report {
    bool is_active = false;
    std::uint64_t errors = 0;       ///< messages of severity error or warning since the process began
    std::string last;
};
validation_report validation();

/// While one lives, reports are counted by it, not among the errors: for errors that tests plant.
class planted_error {
public:
    planted_error();
    planted_error(const planted_error&) = delete;
    ~planted_error();
    std::uint64_t seen() const;
};

}  // namespace quern::vulkan
