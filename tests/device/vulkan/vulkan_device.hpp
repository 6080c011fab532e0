// The Vulkan device that these tests run on, with validation layers where they are installed.
#pragma once

#include <quern/quern.hpp>

#include <optional>
#include <string>

#include "tests/skip.hpp"

namespace quern::tests {

/// The first Vulkan device, or nothing with the reason.
std::optional<device> find_vulkan_device(std::string& reason);

}  // namespace quern::tests
