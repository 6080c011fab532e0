// Tables of Vulkan's functions, looked up at run time; and the one place where a VkResult becomes an exception.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string>
#include <string_view>

namespace quern::vulkan {

struct global_functions {
    PFN_vkGetInstanceProcAddr get = nullptr;
#define QUERN_VK_GLOBAL(name) PFN_##name name = nullptr;
#define QUERN_VK_INSTANCE(name)
#define QUERN_VK_DEVICE(name)
#define QUERN_VK_OPTIONAL(name)
#include "backends/vulkan/functions.def"
#undef QUERN_VK_GLOBAL
#undef QUERN_VK_INSTANCE
    explicit global_functions(PFN_vkGetInstanceProcAddr get_proc);
};

struct instance_functions {
#define QUERN_VK_GLOBAL(name)
#define QUERN_VK_INSTANCE(name) PFN_##name name = nullptr;
#include "backends/vulkan/functions.def"
#undef QUERN_VK_INSTANCE
#undef QUERN_VK_DEVICE
#undef QUERN_VK_OPTIONAL
    instance_functions() = default;
    instance_functions(PFN_vkGetInstanceProcAddr get_proc, VkInstance instance);
};

struct device_functions {
#define QUERN_VK_INSTANCE(name)
#define QUERN_VK_DEVICE(name) PFN_##name name = nullptr;
#define QUERN_VK_OPTIONAL(name) PFN_##name name = nullptr;
#include "backends/vulkan/functions.def"
#undef QUERN_VK_GLOBAL
#undef QUERN_VK_INSTANCE
#undef QUERN_VK_DEVICE
#undef QUERN_VK_OPTIONAL
    device_functions() = default;
    device_functions(PFN_vkGetDeviceProcAddr get_proc, VkDevice device);
};

/// "VK_ERROR_DEVICE_LOST" …
std::string_view name_of(VkResult r);

/// Throws device_error "vulkan: <call> failed with <name>" for what is an error.
void check(VkResult r, std::string_view call);

}  // namespace quern::vulkan
