#include "backends/vulkan/program.hpp"


#include <fmt/format.h>
#include <quern/error.hpp>

#include <algorithm>
#include <cstring>

#include "backends/vulkan/queue.hpp"

namespace quern::vulkan {
namespace {

constexpr std::size_t largest_pushed = 256;
constexpr std::uint32_t pointer_bytes = 8;

/// Groups of one dimension that one vkCmdDispatch takes.
struct part {
    std::uint64_t first, count;
};

template <class F>
void for_each_part(std::uint64_t groups, std::uint64_t limit, F f) {
    for (std::uint64_t first = 0; first < groups; first += limit) f(part{first, std::min(limit, groups - first)});
}

}  // namespace

program::program(std::shared_ptr<context> c, const backends::artifact& code, const ir::module& m)
    : context_(std::move(c)), block_(spirv::make_launch_block(m, context_->physical->code)),
      workgroup_size_(spirv::workgroup_size_of(m)), counts_groups_(m.launch == ir::launch_kind::over) {
    for (const ir::parameter& p : m.parameters)
        if (p.kind == ir::parameter_kind::buffer) element_bytes_.push_back(m[p.type].size_bytes);
    const device_functions& f = context_->functions;
    const bool by_address = context_->physical->code.addresses;
    VkShaderModule shader = VK_NULL_HANDLE;
    VkShaderModuleCreateInfo shader_info{};
    shader_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    std::vector<std::uint32_t> words(code.bytes.size() / 4);
    std::memcpy(words.data(), code.bytes.data(), words.size() * 4);
    shader_info.codeSize = words.size() * 4;
    shader_info.pCode = words.data();
    context_->check(f.vkCreateShaderModule(context_->device, &shader_info, nullptr, &shader), "vkCreateShaderModule");

    VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, block_.is_indirect ? pointer_bytes : block_.size_bytes};
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    if (by_address || !block_.is_indirect) {
        layout.pushConstantRangeCount = 1;
        layout.pPushConstantRanges = &push;
    }
    VkResult r = VK_SUCCESS;
    if (!by_address) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (std::uint32_t i = block_.is_indirect ? 0 : 1; i <= element_bytes_.size(); ++i)
            bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        VkDescriptorSetLayoutCreateInfo set{};
        set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
        set.bindingCount = static_cast<std::uint32_t>(bindings.size());
        set.pBindings = bindings.data();
        r = f.vkCreateDescriptorSetLayout(context_->device, &set, nullptr, &set_layout_);
        layout.setLayoutCount = 1;
        layout.pSetLayouts = &set_layout_;
    }
    if (r >= 0) r = f.vkCreatePipelineLayout(context_->device, &layout, nullptr, &layout_);
    if (r >= 0) {
        VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
        size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
        size.requiredSubgroupSize = context_->physical->code.subgroup_size;
        VkComputePipelineCreateInfo pipeline{};
        pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
        pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        if (context_->physical->code.fixed_subgroup_size && m.cooperative) pipeline.stage.pNext = &size;
        pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        pipeline.stage.module = shader;
        pipeline.stage.pName = "main";
        pipeline.layout = layout_;
        r = f.vkCreateComputePipelines(context_->device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pipeline_);
    }
    f.vkDestroyShaderModule(context_->device, shader, nullptr);
    if (r >= 0) return;
    destroy();
    context_->check(r, "vkCreateComputePipelines");
}

program::~program() { destroy(); }

void program::destroy() noexcept {
    const device_functions& f = context_->functions;
    f.vkDestroyPipeline(context_->device, pipeline_, nullptr);
    f.vkDestroyPipelineLayout(context_->device, layout_, nullptr);
    f.vkDestroyDescriptorSetLayout(context_->device, set_layout_, nullptr);
}

/// What of the buffer's offset the descriptor holds: whole elements before it, where the device's alignment allows.
std::uint64_t program::bound_offset(const backends::buffer_argument& a, std::size_t number) const {
    const std::uint64_t alignment = context_->physical->properties.limits.minStorageBufferOffsetAlignment;
    const std::uint64_t first = static_cast<const memory&>(*a.buffer).first() + a.offset_bytes;
    for (std::uint64_t back = 0; back <= first && back < alignment * element_bytes_[number]; back += element_bytes_[number])
        if ((first - back) % alignment == 0) return first - back;
    throw device_error(fmt::format("vulkan: '{}' cannot bind a buffer at byte {} without buffer addresses: it wants multiples of {}",
                                   context_->physical->properties.deviceName, first, alignment));
}

/// Of over launches from the extent, which alone counts there.
std::array<std::uint64_t, 3> program::groups_of(const backends::dispatch& d) const {
    std::array<std::uint64_t, 3> groups = d.groups;
    if (counts_groups_)
        for (std::size_t i = 0; i < 3; ++i) groups[i] = (d.extent[i] + workgroup_size_[i] - 1) / workgroup_size_[i];
    return groups;
}

void program::fill_block(std::span<std::byte> block, const backends::dispatch& d) const {
    const std::array<std::uint64_t, 3> all_groups = groups_of(d);
    const auto put = [&](std::size_t offset, std::uint64_t n, std::size_t size) { std::memcpy(block.data() + offset, &n, size); };
    for (const spirv::block_member& b : block_.members) {
        using enum spirv::block_content;
        switch (b.content) {
            case base: std::memset(block.data() + b.offset, 0, b.size_bytes); break;
            case groups:
                for (std::size_t i = 0; i < 3; ++i) put(b.offset + 4 * i, all_groups[i], 4);
                break;
            case extent:
                for (std::size_t i = 0; i < 3; ++i) put(b.offset + b.size_bytes / 3 * i, d.extent[i], b.size_bytes / 3);
                break;
            case address: {
                const backends::buffer_argument& a = d.buffers[b.source];
                put(b.offset, static_cast<const memory&>(*a.buffer).device_address() + a.offset_bytes, 8);
                break;
            }
            case first_element: {
                const backends::buffer_argument& a = d.buffers[b.source];
                const std::uint64_t whole = static_cast<const memory&>(*a.buffer).first() + a.offset_bytes;
                put(b.offset, (whole - bound_offset(a, b.source)) / element_bytes_[b.source], 4);
                break;
            }
            case count: put(b.offset, d.buffers[b.source].count, b.size_bytes); break;
            case value: std::memcpy(block.data() + b.offset, d.values.data() + b.source, b.size_bytes); break;
        }
    }
}

void program::bind_descriptors(VkCommandBuffer commands, const backends::dispatch& d, dispatch_storage& storage,
                               const dispatch_storage::slot* block) const {
    const VkDescriptorSet set = storage.make_set(set_layout_);
    std::vector<VkDescriptorBufferInfo> infos;
    infos.reserve(d.buffers.size() + 1);
    std::vector<VkWriteDescriptorSet> writes;
    const auto add = [&](std::uint32_t binding, VkBuffer buffer, std::uint64_t offset, std::uint64_t range) {
        if (range > context_->physical->properties.limits.maxStorageBufferRange)
            throw device_error(fmt::format("vulkan: a buffer of {} bytes is larger than the {} that '{}' can bind without buffer addresses",
                                           range, context_->physical->properties.limits.maxStorageBufferRange,
                                           context_->physical->properties.deviceName));
        infos.push_back({buffer, offset, range});
        VkWriteDescriptorSet w{};
        w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        w.dstSet = set;
        w.dstBinding = binding;
        w.descriptorCount = 1;
        w.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        w.pBufferInfo = &infos.back();
        writes.push_back(w);
    };
    if (block != nullptr) add(0, block->memory->buffer(), block->offset, block_.size_bytes);
    for (std::size_t i = 0; i < d.buffers.size(); ++i) {
        const backends::buffer_argument& a = d.buffers[i];
        const auto& target = static_cast<const memory&>(*a.buffer);
        const std::uint64_t offset = bound_offset(a, i), end = target.first() + a.offset_bytes + a.count * element_bytes_[i];
        add(static_cast<std::uint32_t>(i + 1), target.buffer(), offset, std::max<std::uint64_t>((end - offset + 3) / 4 * 4, 4));
    }
    context_->functions.vkUpdateDescriptorSets(context_->device, static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
    context_->functions.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
}

void program::encode(VkCommandBuffer commands, const backends::dispatch& d, dispatch_storage& storage) const {
    const device_functions& f = context_->functions;
    const bool by_address = context_->physical->code.addresses;
    const std::array<std::uint64_t, 3> all_groups = groups_of(d);
    for (const std::uint64_t g : all_groups)
        if (g > 0xffff'ffffu) throw device_error(fmt::format("vulkan: {} workgroups in one dimension are more than 32 bits count", g));

    std::array<std::byte, largest_pushed> pushed;
    std::vector<std::byte> large(block_.size_bytes > pushed.size() ? block_.size_bytes : 0);
    const std::span<std::byte> block = large.empty() ? std::span(pushed).first(block_.size_bytes) : std::span(large);
    fill_block(block, d);
    const std::uint32_t base = block_.find(spirv::block_content::base)->offset;
    f.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    bool is_bound = false;
    const auto dispatch = [&](const std::array<part, 3>& parts) {
        for (std::size_t i = 0; i < 3; ++i) {
            const auto first = static_cast<std::uint32_t>(parts[i].first);
            std::memcpy(block.data() + base + 4 * i, &first, 4);
        }
        if (block_.is_indirect) {
            const dispatch_storage::slot at = storage.reserve(block_.size_bytes);
            std::memcpy(at.memory->mapped + at.offset, block.data(), block.size());
            if (by_address) {
                const VkDeviceAddress address = at.memory->device_address() + at.offset;
                f.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, pointer_bytes, &address);
            } else {
                bind_descriptors(commands, d, storage, &at);
            }
        } else {
            if (!by_address && !is_bound) bind_descriptors(commands, d, storage, nullptr);
            is_bound = true;
            f.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, block_.size_bytes, block.data());
        }
        f.vkCmdDispatch(commands, static_cast<std::uint32_t>(parts[0].count), static_cast<std::uint32_t>(parts[1].count),
                        static_cast<std::uint32_t>(parts[2].count));
    };
    const std::uint32_t* limit = context_->physical->properties.limits.maxComputeWorkGroupCount;
    for_each_part(all_groups[2], limit[2], [&](part z) {
        for_each_part(all_groups[1], limit[1], [&](part y) {
            for_each_part(all_groups[0], limit[0], [&](part x) { dispatch({x, y, z}); });
        });
    });
}

void program::record(VkCommandBuffer commands, const backends::dispatch& d) const {
    const std::scoped_lock lock(recording_);
    if (!recorded_) recorded_ = std::make_unique<command_list>(context_, VkCommandBuffer{VK_NULL_HANDLE});
    encode(commands, d, *recorded_);
}

}  // namespace quern::vulkan
