// The Vulkan backend, as the registry and the tests of this very backend see it.
#pragma once

#include <cstdint>

#include "backends/backend.hpp"
#include "backends/vulkan/context.hpp"

namespace quern::backends {

/// Opens Vulkan's loader when it is first asked for devices.
backend& vulkan_backend();

}  // namespace quern::backends

namespace quern::vulkan {

/// "vulkan:0+descriptors" opens device 0 without buffer addresses: how tests reach what older devices do.
inline constexpr std::string_view descriptor_suffix = "+descriptors";

/// The context behind a device of this backend.
std::shared_ptr<context> context_of(backends::device& d);

}  // namespace quern::vulkan
