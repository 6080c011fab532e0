#include "backends/vulkan/functions.hpp"

#include <fmt/format.h>
#include <quern/error.hpp>

namespace quern::vulkan {

global_functions::global_functions(PFN_vkGetInstanceProcAddr get_proc) : get(get_proc) {
#define QUERN_VK_GLOBAL(name) name = reinterpret_cast<PFN_##name>(get(nullptr, #name));
#define QUERN_VK_INSTANCE(name)
#define QUERN_VK_DEVICE(name)
#define QUERN_VK_OPTIONAL(name)
#include "backends/vulkan/functions.def"
#undef QUERN_VK_GLOBAL
#undef QUERN_VK_INSTANCE
}

instance_functions::instance_functions(PFN_vkGetInstanceProcAddr get_proc, VkInstance instance) {
#define QUERN_VK_GLOBAL(name)
#define QUERN_VK_INSTANCE(name) name = reinterpret_cast<PFN_##name>(get_proc(instance, #name));
#include "backends/vulkan/functions.def"
#undef QUERN_VK_INSTANCE
#undef QUERN_VK_DEVICE
#undef QUERN_VK_OPTIONAL
}

device_functions::device_functions(PFN_vkGetDeviceProcAddr get_proc, VkDevice device) {
#define QUERN_VK_INSTANCE(name)
#define QUERN_VK_DEVICE(name) name = reinterpret_cast<PFN_##name>(get_proc(device, #name));
#define QUERN_VK_OPTIONAL(name) QUERN_VK_DEVICE(name)
#include "backends/vulkan/functions.def"
    if (vkGetBufferDeviceAddress == nullptr) vkGetBufferDeviceAddress = vkGetBufferDeviceAddressKHR;
    if (vkWaitSemaphores == nullptr) vkWaitSemaphores = vkWaitSemaphoresKHR;
    if (vkGetSemaphoreCounterValue == nullptr) vkGetSemaphoreCounterValue = vkGetSemaphoreCounterValueKHR;
}

std::string_view name_of(VkResult r) {
    struct named {
        VkResult result;
        std::string_view name;
    };
    constexpr named names[] = {
        {VK_NOT_READY, "VK_NOT_READY"}, {VK_TIMEOUT, "VK_TIMEOUT"}, {VK_INCOMPLETE, "VK_INCOMPLETE"},
        {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
        {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
        {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"}, {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
        {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"}, {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT"},
        {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
        {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
        {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"}, {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
        {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL"}, {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
        {VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION"}, {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV"},
        {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN"},
    };
    for (const named& n : names)
        if (n.result == r) return n.name;
    return "an unnamed VkResult";
}

void check(VkResult r, std::string_view call) {
    if (r < 0) throw device_error(fmt::format("vulkan: {} failed with {} ({})", call, name_of(r), static_cast<int>(r)));
}

}  // namespace quern::vulkan
