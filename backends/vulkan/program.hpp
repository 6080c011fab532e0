// A compute pipeline with the layout of its launch block; encodes its own dispatch into a command buffer.
#pragma once

#include <memory>
#include <mutex>

#include "backends/spirv/launch_block.hpp"
#include "backends/vulkan/context.hpp"
#include "backends/vulkan/memory.hpp"

namespace quern::vulkan {

/// Where a dispatch finds memory and descriptor sets that live until it is done.
class dispatch_storage {
public:
    struct slot {
        const vulkan::memory* memory = nullptr;
        std::uint64_t offset = 0;
    };
    virtual ~dispatch_storage() = default;
    virtual slot reserve(std::size_t size_bytes) = 0;
    virtual VkDescriptorSet make_set(VkDescriptorSetLayout layout) = 0;
};

class program final : public backends::program {
public:
    program(std::shared_ptr<context> c, const backends::artifact& code, const ir::module& m);
    ~program() override;

    /// Binds, pushes and dispatches, in parts where the device's limits ask for them. No barriers.
    void encode(VkCommandBuffer commands, const backends::dispatch& d, dispatch_storage& storage) const;

    /// The same into someone else's command buffer; blocks and descriptor sets live as long as the program.
    void record(VkCommandBuffer commands, const backends::dispatch& d) const;

private:
    void destroy() noexcept;
    std::array<std::uint64_t, 3> groups_of(const backends::dispatch& d) const;
    void fill_block(std::span<std::byte> block, const backends::dispatch& d) const;
    void bind_descriptors(VkCommandBuffer commands, const backends::dispatch& d, dispatch_storage& storage,
                          const dispatch_storage::slot* block) const;
    std::uint64_t bound_offset(const backends::buffer_argument& a, std::size_t number) const;

    std::shared_ptr<context> context_;
    const spirv::launch_block block_;
    const std::array<std::uint32_t, 3> workgroup_size_;
    const bool counts_groups_;  ///< itself, from the extent
    std::vector<std::uint32_t> element_bytes_;  ///< by buffer argument
    VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
    mutable std::mutex recording_;
    mutable std::unique_ptr<dispatch_storage> recorded_;  ///< of record()
};

}  // namespace quern::vulkan
