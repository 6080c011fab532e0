// Buffers: one VkBuffer each, mapped where the host can reach it.
#pragma once

#include "backends/vulkan/context.hpp"

namespace quern::vulkan {

class memory final : public backends::memory {
public:
    /// Owned; throws device_error when the device has no room.
    memory(std::shared_ptr<context> c, std::size_t size, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted);
    /// Adopted: `size` bytes of someone's buffer from `offset` on.
    memory(std::shared_ptr<context> c, VkBuffer buffer, std::uint64_t offset, std::size_t size);
    ~memory() override;

    VkBuffer buffer() const { return buffer_; }
    std::uint64_t first() const { return first_; }            ///< of our bytes in the buffer
    VkDeviceAddress device_address() const { return device_address_; }  ///< of our bytes; 0 without buffer addresses

private:
    void ask_address();

    std::shared_ptr<context> context_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::uint64_t first_ = 0;
    VkDeviceAddress device_address_ = 0;
    bool is_owned_ = true;
};

std::unique_ptr<memory> allocate(const std::shared_ptr<context>& c, std::size_t size_bytes, backends::memory_kind kind);

/// Host-visible memory for transfers and launch blocks.
std::unique_ptr<memory> allocate_staging(const std::shared_ptr<context>& c, std::size_t size_bytes);

}  // namespace quern::vulkan
