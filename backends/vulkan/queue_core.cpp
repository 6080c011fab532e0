#include <quern/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/vulkan/queue.hpp"

namespace quern::vulkan {
namespace {

constexpr std::size_t chunk_bytes = 256 * 1024, largest_kept_chunk = 16 * 1024 * 1024;
constexpr std::uint64_t slot_alignment = 256;  // no device asks for more of a binding's offset
constexpr std::uint32_t sets_in_pool = 64;

void order_all(const device_functions& f, VkCommandBuffer commands, VkPipelineStageFlags to_stages, VkAccessFlags to) {
    constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, to};
    f.vkCmdPipelineBarrier(commands, stages, to_stages, 0, 1, &all, 0, nullptr, 0, nullptr);
}

}  // namespace

command_list::~command_list() {
    const device_functions& f = context_->functions;
    for (const VkDescriptorPool p : pools_) f.vkDestroyDescriptorPool(context_->device, p, nullptr);
    f.vkDestroyFence(context_->device, fence, nullptr);
}

dispatch_storage::slot command_list::reserve(std::size_t size_bytes) {
    for (chunk& c : chunks_) {
        const std::uint64_t at = (c.used + slot_alignment - 1) / slot_alignment * slot_alignment;
        if (at + size_bytes > c.memory->size_bytes) continue;
        c.used = at + size_bytes;
        return {c.memory.get(), at};
    }
    chunks_.push_back({allocate_staging(context_, std::max(size_bytes, chunk_bytes)), size_bytes});
    return {chunks_.back().memory.get(), 0};
}

VkDescriptorSet command_list::make_set(VkDescriptorSetLayout layout) {
    const device_functions& f = context_->functions;
    for (;; ++pool_) {
        const bool is_new = pool_ == pools_.size();
        if (is_new) {
            const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets_in_pool * 32};
            VkDescriptorPoolCreateInfo info{};
            info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
            info.maxSets = sets_in_pool;
            info.poolSizeCount = 1;
            info.pPoolSizes = &size;
            VkDescriptorPool made = VK_NULL_HANDLE;
            context_->check(f.vkCreateDescriptorPool(context_->device, &info, nullptr, &made), "vkCreateDescriptorPool");
            pools_.push_back(made);
        }
        const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pools_[pool_], 1, &layout};
        VkDescriptorSet set = VK_NULL_HANDLE;
        const VkResult r = f.vkAllocateDescriptorSets(context_->device, &info, &set);
        if (r == VK_SUCCESS) return set;
        if (is_new) context_->check(r, "vkAllocateDescriptorSets");
    }
}

void command_list::recycle() noexcept {
    for (const download& d : downloads) std::memcpy(d.to.data(), d.from->mapped + d.offset, d.to.size());
    downloads.clear();
    for (const auto& [object, release] : retained) release(object);
    retained.clear();
    std::erase_if(chunks_, [](const chunk& c) { return c.memory->size_bytes > largest_kept_chunk; });
    for (chunk& c : chunks_) c.used = 0;
    for (const VkDescriptorPool p : pools_) context_->functions.vkResetDescriptorPool(context_->device, p, 0);
    pool_ = 0;
    is_open = false;
}

queue_core::queue_core(std::shared_ptr<vulkan::context> c) : context_(std::move(c)) {
    const device_functions& f = context_->functions;
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                       VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, context_->physical->family};
    context_->check(f.vkCreateCommandPool(context_->device, &pool, nullptr, &pool_), "vkCreateCommandPool");
    if (!context_->has_timeline) return;
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
    const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    context_->check(f.vkCreateSemaphore(context_->device, &semaphore, nullptr, &timeline_), "vkCreateSemaphore");
}

queue_core::~queue_core() {
    try {
        wait_for(submitted());
    } catch (const error&) {  // nobody is left to hear of it
    }
    retire(std::numeric_limits<std::uint64_t>::max());
    open_.reset();
    free_.clear();
    const device_functions& f = context_->functions;
    for (const VkQueryPool p : queries_) f.vkDestroyQueryPool(context_->device, p, nullptr);
    f.vkDestroySemaphore(context_->device, timeline_, nullptr);
    f.vkDestroyCommandPool(context_->device, pool_, nullptr);
}

/// A list that is not in flight; null if all there may be are.
command_list* queue_core::take_list() {
    if (open_) return open_.get();
    if (free_.empty()) retire(completed_number());
    if (!free_.empty()) {
        open_ = std::move(free_.back());
        free_.pop_back();
        return open_.get();
    }
    if (lists_ == most_lists) return nullptr;
    const device_functions& f = context_->functions;
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer made = VK_NULL_HANDLE;
    context_->check(f.vkAllocateCommandBuffers(context_->device, &info, &made), "vkAllocateCommandBuffers");
    open_ = std::make_unique<command_list>(context_, made);
    ++lists_;
    if (!context_->has_timeline) {
        const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
        context_->check(f.vkCreateFence(context_->device, &fence, nullptr, &open_->fence), "vkCreateFence");
    }
    return open_.get();
}

command_list& queue_core::open() {
    std::unique_lock lock(mutex_);
    command_list* list = take_list();
    while (list == nullptr) {
        const std::uint64_t oldest = in_flight_.front()->number;
        lock.unlock();
        wait_for(oldest);
        lock.lock();
        list = take_list();
    }
    if (!list->is_open) {
        const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
        context_->check(context_->functions.vkBeginCommandBuffer(list->commands, &info), "vkBeginCommandBuffer");
        list->is_open = true;
    }
    return *list;
}

bool queue_core::has_room() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || context_->is_lost) return false;
    if (free_.empty()) retire(completed_number());
    return open_ != nullptr || !free_.empty();
}

/// A device that is lost keeps nothing: the list's references are dropped and the failure is reported at the next wait.
void queue_core::submit() {
    const std::scoped_lock lock(mutex_);
    if (!open_ || !open_->is_open) return;
    const device_functions& f = context_->functions;
    command_list& list = *open_;
    list.number = submitted() + 1;
    try {
        // What the host reads when it has waited.
        order_all(f, list.commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
        context_->check(f.vkEndCommandBuffer(list.commands), "vkEndCommandBuffer");
        VkTimelineSemaphoreSubmitInfo value{};
        value.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
        value.signalSemaphoreValueCount = 1;
        value.pSignalSemaphoreValues = &list.number;
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.commandBufferCount = 1;
        info.pCommandBuffers = &list.commands;
        if (context_->has_timeline) {
            info.pNext = &value;
            info.signalSemaphoreCount = 1;
            info.pSignalSemaphores = &timeline_;
        }
        const std::scoped_lock submission(context_->submission);
        context_->check(f.vkQueueSubmit(context_->queue, 1, &info, list.fence), "vkQueueSubmit");
        submitted_.store(list.number, std::memory_order_release);
    } catch (...) {
        fail(std::current_exception());
        list.downloads.clear();
        list.recycle();
        free_.push_back(std::move(open_));
        return;
    }
    in_flight_.push_back(std::move(open_));
}

std::uint64_t queue_core::completed_number() {
    const device_functions& f = context_->functions;
    std::uint64_t n = 0;
    if (context_->has_timeline) {
        context_->check(f.vkGetSemaphoreCounterValue(context_->device, timeline_, &n), "vkGetSemaphoreCounterValue");
        return n;
    }
    for (const auto& list : in_flight_) {
        const VkResult r = f.vkGetFenceStatus(context_->device, list->fence);
        if (r == VK_NOT_READY) return n;
        context_->check(r, "vkGetFenceStatus");
        n = list->number;
    }
    return in_flight_.empty() ? submitted() : n;
}

void queue_core::retire(std::uint64_t completed) noexcept {
    while (!in_flight_.empty() && in_flight_.front()->number <= completed) {
        std::unique_ptr<command_list> list = std::move(in_flight_.front());
        in_flight_.pop_front();
        if (context_->is_lost) list->downloads.clear();
        if (list->fence != VK_NULL_HANDLE) context_->functions.vkResetFences(context_->device, 1, &list->fence);
        list->recycle();
        free_.push_back(std::move(list));
    }
}

bool queue_core::is_done(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    try {
        const std::uint64_t completed = completed_number();
        retire(completed);
        return completed >= number;
    } catch (...) {
        fail(std::current_exception());
        return true;  // waiting will say what happened
    }
}

void queue_core::wait_for(std::uint64_t number) {
    const device_functions& f = context_->functions;
    constexpr std::uint64_t forever = std::numeric_limits<std::uint64_t>::max();
    try {
        if (context_->has_timeline) {
            const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline_, &number};
            context_->check(f.vkWaitSemaphores(context_->device, &info, forever), "vkWaitSemaphores");
        }
        const std::scoped_lock lock(mutex_);
        if (!context_->has_timeline) {
            for (const auto& list : in_flight_)
                if (list->number <= number)
                    context_->check(f.vkWaitForFences(context_->device, 1, &list->fence, VK_TRUE, forever), "vkWaitForFences");
        }
        retire(number);
    } catch (...) {
        const std::scoped_lock lock(mutex_);
        fail(std::current_exception());
        if (context_->is_lost) retire(forever);
    }
}

void queue_core::fail(std::exception_ptr e) noexcept {
    if (!failure_) failure_ = std::move(e);
}

void queue_core::throw_failure() {
    const std::scoped_lock lock(mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::uint32_t queue_core::write_timestamp() {
    command_list& list = open();
    const std::scoped_lock lock(mutex_);
    const device_functions& f = context_->functions;
    if (free_timestamps_.empty()) {
        VkQueryPoolCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = timestamps_in_pool;
        VkQueryPool made = VK_NULL_HANDLE;
        context_->check(f.vkCreateQueryPool(context_->device, &info, nullptr, &made), "vkCreateQueryPool");
        const auto first = static_cast<std::uint32_t>(queries_.size()) * timestamps_in_pool;
        queries_.push_back(made);
        for (std::uint32_t i = timestamps_in_pool; i-- > 0;) free_timestamps_.push_back(first + i);
    }
    const std::uint32_t slot = free_timestamps_.back();
    free_timestamps_.pop_back();
    const VkQueryPool pool = queries_[slot / timestamps_in_pool];
    f.vkCmdResetQueryPool(list.commands, pool, slot % timestamps_in_pool, 1);
    f.vkCmdWriteTimestamp(list.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, slot % timestamps_in_pool);
    return slot;
}

std::uint64_t queue_core::read_timestamp(std::uint32_t slot) {
    std::uint64_t ticks = 0;
    const VkQueryPool pool = queries_[slot / timestamps_in_pool];
    context_->check(context_->functions.vkGetQueryPoolResults(context_->device, pool, slot % timestamps_in_pool, 1, sizeof ticks, &ticks,
                                                            sizeof ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                   "vkGetQueryPoolResults");
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * static_cast<double>(context_->physical->properties.limits.timestampPeriod));
}

void queue_core::free_timestamp(std::uint32_t slot) noexcept {
    const std::scoped_lock lock(mutex_);
    free_timestamps_.push_back(slot);
}

}  // namespace quern::vulkan
