// Other people's Vulkan: Quern on a VkDevice, VkBuffers and command buffers of the program's own. Handles are opaque, so
// that no SDK is needed here.
#pragma once

#include <quern/argument.hpp>
#include <quern/device.hpp>
#include <quern/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace quern {

/// vkGetInstanceProcAddr, whatever its function type is called.
struct vulkan_get_proc {
    void (*address)() = nullptr;
    vulkan_get_proc() = default;
    template <class R, class... A>
    vulkan_get_proc(R (*function)(A...)) : address(reinterpret_cast<void (*)()>(function)) {}
};

/// The program's own objects. The device must have been created with what vulkan_requirements asked for, and outlive
/// everything of Quern's on it. Quern submits to the queue when work is launched on the adopted device: the program must
/// not submit to it from another thread at the same time.
struct vulkan_handles {
    void* instance = nullptr;  ///< VkInstance
    void* physical = nullptr;  ///< VkPhysicalDevice
    void* device = nullptr;    ///< VkDevice
    void* queue = nullptr;     ///< VkQueue with compute
    std::uint32_t family = 0;  ///< its family
    vulkan_get_proc get_proc{};
};

/// What to create a VkDevice with, so that Quern can use all that it has: VkDeviceCreateInfo's extensions and pNext chain.
struct vulkan_device_requirements {
    const char* const* extensions = nullptr;
    std::uint32_t extension_count = 0;
    const void* features = nullptr;     ///< a VkPhysicalDeviceFeatures2; valid as long as this object
    std::shared_ptr<const void> owner;  ///< of both
};

/// Of a VkPhysicalDevice of the handles' instance; of the handles, instance, physical and get_proc count.
/// device_error that says why, if Quern cannot use it.
vulkan_device_requirements vulkan_requirements(const vulkan_handles& h);

/// A device around the program's own.
device adopt_vulkan(const vulkan_handles& h);

namespace quern_detail {

buffer_state* adopt_vulkan_buffer(device_state* d, std::uint64_t handle, std::uint64_t offset_bytes, std::size_t size_bytes);
void record_vulkan(void* commands, kernel_state* k, const launch_shape& shape, const argument_ref* arguments, std::size_t count);

template <class Handle>
std::uint64_t to_number(Handle h) {
    if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<std::uintptr_t>(h);
    else return h;
}

}  // namespace quern_detail

/// `n` elements of a VkBuffer of the program's from byte `offset` on, a multiple of T's alignment. It needs the usages storage
/// buffer, transfer source and destination, and shader device address where the device has that; it must outlive the result.
template <class T, class Handle>
buffer<T> adopt_vulkan_buffer(const device& d, Handle vk_buffer, std::uint64_t offset, std::size_t n) {
    return quern_detail::buffer_access::make<T>(
        quern_detail::adopt_vulkan_buffer(d.state(), quern_detail::to_number(vk_buffer), offset, n * sizeof(T)), n);
}

/// Records one launch into a command buffer of the program's, in the recording state, without barriers: order it with what
/// stands around it. The device is that of the buffers among the arguments. Kernel and buffers must outlive the command
/// buffer's execution. May compile.
template <class... P>
void record_vulkan(void* commands, const kernel<void(P...)>& k, const launch_shape& shape, quern_detail::argument_for<P>... arguments) {
    const quern_detail::argument_ref refs[sizeof...(P) + 1] = {arguments.ref()..., {}};
    quern_detail::record_vulkan(commands, k.state(), shape, refs, sizeof...(P));
}

}  // namespace quern
