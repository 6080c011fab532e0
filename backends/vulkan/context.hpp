// An open VkDevice with what all of its memory, programs and queues share. Owned, or adopted from the program around us.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "backends/vulkan/physical_device.hpp"

namespace quern::vulkan {

/// A VkInstance with its functions; never destroyed while a device of it is open.
struct instance {
    VkInstance handle = VK_NULL_HANDLE;
    PFN_vkGetInstanceProcAddr get_proc = nullptr;
    instance_functions functions;
    bool is_owned = true;

    instance() = default;
    instance(const instance&) = delete;
    ~instance();
};

struct context {
    std::shared_ptr<vulkan::instance> instance;
    std::shared_ptr<const vulkan::physical_device> physical;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    device_functions functions;
    std::mutex submission;            ///< of VkQueue
    bool is_owned = true;
    bool has_timeline = false;
    std::atomic<bool> is_lost = false;

    context() = default;
    context(const context&) = delete;
    ~context();

    /// check() that remembers a lost device.
    void check(VkResult r, const char* call);
    /// The memory type that has all `needed` flags and, if there is one, the `wanted` ones; nothing fits: device_error.
    std::uint32_t memory_type(std::uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) const;
};

/// Creates a device with the physical one's features.
std::shared_ptr<context> open_context(std::shared_ptr<vulkan::instance> i, std::shared_ptr<const physical_device> p);

/// What the caller's physical device can do; device_error if that is not enough.
std::shared_ptr<physical_device> inspect_native(const backends::native_device& n);
/// Around a device of the caller's that was created with its features and extensions.
std::shared_ptr<context> adopt_context(const backends::native_device& n);

}  // namespace quern::vulkan
