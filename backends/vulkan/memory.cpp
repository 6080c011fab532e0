#include "backends/vulkan/memory.hpp"

#include <fmt/format.h>
#include <quern/error.hpp>

#include <algorithm>

namespace quern::vulkan {
namespace {

constexpr VkMemoryPropertyFlags mapped_flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// Whole words, so that fills may end in one; never empty.
constexpr std::size_t padded(std::size_t size) { return std::max<std::size_t>(16, (size + 3) / 4 * 4); }

VkBufferUsageFlags usage(const context& c) {
    VkBufferUsageFlags u = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (c.physical->features.addresses.bufferDeviceAddress) u |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    return u;
}

}  // namespace

memory::memory(std::shared_ptr<context> c, std::size_t size, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted)
    : context_(std::move(c)) {
    size_bytes = size;
    const device_functions& f = context_->functions;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = padded(size);
    info.usage = usage(*context_);
    context_->check(f.vkCreateBuffer(context_->device, &info, nullptr, &buffer_), "vkCreateBuffer");
    VkMemoryRequirements requirements{};
    f.vkGetBufferMemoryRequirements(context_->device, buffer_, &requirements);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr, VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = requirements.size;
    if (context_->physical->features.addresses.bufferDeviceAddress) allocation.pNext = &flags;
    try {
        allocation.memoryTypeIndex = context_->memory_type(requirements.memoryTypeBits, needed, wanted);
        const VkResult r = f.vkAllocateMemory(context_->device, &allocation, nullptr, &memory_);
        if (r == VK_ERROR_OUT_OF_DEVICE_MEMORY || r == VK_ERROR_OUT_OF_HOST_MEMORY)
            throw device_error(fmt::format("vulkan: '{}' has no memory left for a buffer of {} bytes ({})",
                                           context_->physical->properties.deviceName, size, name_of(r)));
        context_->check(r, "vkAllocateMemory");
        context_->check(f.vkBindBufferMemory(context_->device, buffer_, memory_, 0), "vkBindBufferMemory");
        const VkMemoryPropertyFlags has = context_->physical->memory.memoryTypes[allocation.memoryTypeIndex].propertyFlags;
        if ((has & mapped_flags) == mapped_flags && (needed & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
            void* at = nullptr;
            context_->check(f.vkMapMemory(context_->device, memory_, 0, VK_WHOLE_SIZE, 0, &at), "vkMapMemory");
            mapped = static_cast<std::byte*>(at);
        }
    } catch (...) {
        f.vkDestroyBuffer(context_->device, buffer_, nullptr);
        if (memory_ != VK_NULL_HANDLE) f.vkFreeMemory(context_->device, memory_, nullptr);
        throw;
    }
    address = reinterpret_cast<std::uintptr_t>(buffer_);
    ask_address();
}

memory::memory(std::shared_ptr<context> c, VkBuffer buffer, std::uint64_t offset, std::size_t size)
    : context_(std::move(c)), buffer_(buffer), first_(offset), is_owned_(false) {
    size_bytes = size;
    address = reinterpret_cast<std::uintptr_t>(buffer_);
    ask_address();
}

memory::~memory() {
    if (!is_owned_) return;
    context_->functions.vkDestroyBuffer(context_->device, buffer_, nullptr);
    context_->functions.vkFreeMemory(context_->device, memory_, nullptr);
}

void memory::ask_address() {
    if (!context_->physical->code.addresses) return;
    const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer_};
    device_address_ = context_->functions.vkGetBufferDeviceAddress(context_->device, &info) + first_;
}

std::unique_ptr<memory> allocate(const std::shared_ptr<context>& c, std::size_t size_bytes, backends::memory_kind kind) {
    const std::size_t budget = c->physical->target.info.memory_bytes;
    if (size_bytes > budget)
        throw device_error(fmt::format("vulkan: a buffer of {} bytes is larger than the memory of '{}', {} bytes", size_bytes,
                                       c->physical->properties.deviceName, budget));
    const bool is_mapped = kind == backends::memory_kind::host_visible || c->physical->is_unified;
    if (!is_mapped) return std::make_unique<memory>(c, size_bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    return std::make_unique<memory>(c, size_bytes, mapped_flags, VK_MEMORY_PROPERTY_HOST_CACHED_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

std::unique_ptr<memory> allocate_staging(const std::shared_ptr<context>& c, std::size_t size_bytes) {
    return std::make_unique<memory>(c, size_bytes, mapped_flags, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
}

}  // namespace quern::vulkan
