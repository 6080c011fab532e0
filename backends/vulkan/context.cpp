#include "backends/vulkan/context.hpp"

#include <quern/error.hpp>

#include <fmt/format.h>

namespace quern::vulkan {

instance::~instance() {
    if (is_owned && handle != VK_NULL_HANDLE) functions.vkDestroyInstance(handle, nullptr);
}

context::~context() {
    if (device == VK_NULL_HANDLE || !is_owned) return;
    functions.vkDeviceWaitIdle(device);
    functions.vkDestroyDevice(device, nullptr);
}

void context::check(VkResult r, const char* call) {
    if (r == VK_ERROR_DEVICE_LOST) is_lost = true;
    if (is_lost && r < 0)
        throw device_error(fmt::format("vulkan: {} failed with {}: the device '{}' is lost; open it again", call, name_of(r),
                                       physical->properties.deviceName));
    vulkan::check(r, call);
}

std::uint32_t context::memory_type(std::uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) const {
    for (const VkMemoryPropertyFlags flags : {needed | wanted, needed})
        for (std::uint32_t i = 0; i < physical->memory.memoryTypeCount; ++i)
            if ((allowed >> i & 1) != 0 && (physical->memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
    throw device_error(fmt::format("vulkan: '{}' has no memory of the kind that is needed", physical->properties.deviceName));
}

std::shared_ptr<context> open_context(std::shared_ptr<vulkan::instance> i, std::shared_ptr<const physical_device> p) {
    auto c = std::make_shared<context>();
    c->instance = std::move(i);
    c->physical = std::move(p);
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = c->physical->family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &c->physical->features.core;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(c->physical->features.extensions.size());
    info.ppEnabledExtensionNames = c->physical->features.extensions.data();
    const instance_functions& f = c->instance->functions;
    check(f.vkCreateDevice(c->physical->handle, &info, nullptr, &c->device), "vkCreateDevice");
    c->functions = device_functions(f.vkGetDeviceProcAddr, c->device);
    c->functions.vkGetDeviceQueue(c->device, c->physical->family, 0, &c->queue);
    c->has_timeline = c->physical->features.timeline.timelineSemaphore;
    return c;
}

namespace {

std::shared_ptr<vulkan::instance> adopt_instance(const backends::native_device& n) {
    auto i = std::make_shared<vulkan::instance>();
    i->is_owned = false;
    i->handle = static_cast<VkInstance>(n.instance);
    i->get_proc = reinterpret_cast<PFN_vkGetInstanceProcAddr>(n.get_proc);
    i->functions = instance_functions(i->get_proc, i->handle);
    return i;
}

}  // namespace

std::shared_ptr<physical_device> inspect_native(const backends::native_device& n) {
    auto p = std::make_shared<physical_device>(adopt_instance(n)->functions, static_cast<VkPhysicalDevice>(n.physical),
                                               spirv::memory_style::addresses);
    if (!p->unusable.empty())
        throw device_error(fmt::format("vulkan: '{}' cannot be used: {}", p->properties.deviceName, p->unusable));
    return p;
}

std::shared_ptr<context> adopt_context(const backends::native_device& n) {
    auto c = std::make_shared<context>();
    c->is_owned = false;
    c->instance = adopt_instance(n);
    const std::shared_ptr<physical_device> p = inspect_native(n);
    p->family = n.family;
    c->device = static_cast<VkDevice>(n.device);
    c->queue = static_cast<VkQueue>(n.queue);
    c->functions = device_functions(c->instance->functions.vkGetDeviceProcAddr, c->device);
    c->has_timeline = p->features.timeline.timelineSemaphore;
    c->physical = p;
    return c;
}

}  // namespace quern::vulkan
