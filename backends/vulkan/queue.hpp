// A queue of a Vulkan device: lists of commands in command buffers that are used again, each submission counted by a
// timeline semaphore, or by fences where there is none.
#pragma once

#include <deque>
#include <exception>
#include <utility>
#include <vector>

#include "backends/vulkan/memory.hpp"
#include "backends/vulkan/program.hpp"

namespace quern::vulkan {

/// One command buffer with what its commands use until they are done.
struct command_list final : dispatch_storage {
    struct download {
        const vulkan::memory* from;
        std::uint64_t offset;
        std::span<std::byte> to;
    };

    command_list(std::shared_ptr<context> c, VkCommandBuffer b) : context_(std::move(c)), commands(b) {}
    command_list(const command_list&) = delete;
    ~command_list() override;

    slot reserve(std::size_t size_bytes) override;
    VkDescriptorSet make_set(VkDescriptorSetLayout layout) override;
    /// Finishes what the device left to the host, drops references, and is as good as new.
    void recycle() noexcept;

    const std::shared_ptr<context> context_;
    const VkCommandBuffer commands;
    VkFence fence = VK_NULL_HANDLE;  ///< where there are no timeline semaphores
    std::uint64_t number = 0;        ///< of its submission
    bool is_open = false;
    std::vector<download> downloads;
    std::vector<std::pair<void*, void (*)(void*) noexcept>> retained;

private:
    struct chunk {
        std::unique_ptr<vulkan::memory> memory;
        std::uint64_t used = 0;
    };
    std::vector<chunk> chunks_;
    std::vector<VkDescriptorPool> pools_;
    std::size_t pool_ = 0;
};

/// What a queue shares with its events, which may outlive it.
class queue_core {
public:
    explicit queue_core(std::shared_ptr<vulkan::context> c);
    queue_core(const queue_core&) = delete;
    ~queue_core();

    command_list& open();
    void submit();
    bool has_room();
    std::uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
    /// True when this submission and all before it are done; then their downloads have been delivered.
    bool is_done(std::uint64_t number);
    /// Blocks; throws device_error when the device is lost.
    void wait_for(std::uint64_t number);
    void throw_failure();

    /// Timestamps: a slot to write to in the open list, its reading in nanoseconds, its return.
    std::uint32_t write_timestamp();
    std::uint64_t read_timestamp(std::uint32_t slot);
    void free_timestamp(std::uint32_t slot) noexcept;
    const vulkan::context& context() const { return *context_; }

private:
    const std::shared_ptr<vulkan::context> context_;
    static constexpr std::size_t most_lists = 64;
    static constexpr std::uint32_t timestamps_in_pool = 256;

    std::uint64_t completed_number();
    void retire(std::uint64_t completed) noexcept;
    void fail(std::exception_ptr e) noexcept;
    command_list* take_list();

    std::mutex mutex_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkSemaphore timeline_ = VK_NULL_HANDLE;
    std::deque<std::unique_ptr<command_list>> in_flight_;
    std::vector<std::unique_ptr<command_list>> free_;
    std::unique_ptr<command_list> open_;
    std::size_t lists_ = 0;
    std::atomic<std::uint64_t> submitted_ = 0;
    std::exception_ptr failure_;
    std::vector<VkQueryPool> queries_;
    std::vector<std::uint32_t> free_timestamps_;
};

class queue final : public backends::queue {
public:
    explicit queue(std::shared_ptr<vulkan::context> c) : core_(std::make_shared<queue_core>(std::move(c))) {}
    ~queue() override;

    void encode(const backends::dispatch& d) override;
    void encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to, std::uint64_t to_offset,
                     std::uint64_t size_bytes) override;
    void encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) override;
    void encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) override;
    void encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) override;
    void encode_wait(std::shared_ptr<backends::event> e) override;
    void retain(void* object, void (*release)(void*) noexcept) override;
    void submit() override;
    bool ready() const override;
    std::shared_ptr<backends::event> record() override;
    void synchronize() override;

private:
    /// The open list, with all that was encoded before made visible to what follows.
    command_list& ordered();
    void copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset, std::uint64_t size_bytes);

    const std::shared_ptr<queue_core> core_;
};

}  // namespace quern::vulkan
