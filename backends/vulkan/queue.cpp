#include "backends/vulkan/queue.hpp"

#include <chrono>
#include <cstring>
#include <optional>

namespace quern::vulkan {
namespace {

const memory& ours(const backends::memory& m) { return static_cast<const memory&>(m); }

class event final : public backends::event {
public:
    event(std::shared_ptr<queue_core> core, std::uint64_t number, std::optional<std::uint32_t> slot)
        : core_(std::move(core)), number_(number), slot_(slot) {}
    ~event() override {
        if (slot_) core_->free_timestamp(*slot_);
    }

    bool done() const override { return core_->is_done(number_); }
    void wait() override {
        core_->wait_for(number_);
        core_->throw_failure();
    }
    std::uint64_t timestamp_ns() const override { return slot_ ? core_->read_timestamp(*slot_) : host_time_ns_; }

private:
    const std::shared_ptr<queue_core> core_;
    const std::uint64_t number_;
    const std::optional<std::uint32_t> slot_;
    /// Devices without timestamps: when it was recorded.
    const std::uint64_t host_time_ns_ = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
};

}  // namespace

/// Waits, so that no work of a queue outlives it.
queue::~queue() {
    core_->submit();
    core_->wait_for(core_->submitted());
}

command_list& queue::ordered() {
    command_list& list = core_->open();
    constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    constexpr VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes,
                              writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT};
    core_->context().functions.vkCmdPipelineBarrier(list.commands, stages, stages, 0, 1, &all, 0, nullptr, 0, nullptr);
    return list;
}

void queue::encode(const backends::dispatch& d) {
    command_list& list = ordered();
    static_cast<const program&>(*d.program).encode(list.commands, d, list);
}

void queue::copy(VkBuffer from, std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset, std::uint64_t size_bytes) {
    if (size_bytes == 0) return;
    const VkBufferCopy region{from_offset, to_offset, size_bytes};
    core_->context().functions.vkCmdCopyBuffer(ordered().commands, from, to, 1, &region);
}

void queue::encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                        std::uint64_t to_offset, std::uint64_t size_bytes) {
    copy(ours(from).buffer(), ours(from).first() + from_offset, ours(to).buffer(), ours(to).first() + to_offset, size_bytes);
}

/// vkCmdFillBuffer fills whole words; the bytes beside them are copied.
void queue::encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) {
    const std::uint64_t first = ours(to).first() + offset, words = (first + 3) / 4 * 4, end = first + size_bytes;
    const std::uint64_t last = std::max(words, end / 4 * 4);
    if (last > words) {
        const std::uint32_t pattern = 0x0101'0101u * byte;
        core_->context().functions.vkCmdFillBuffer(ordered().commands, ours(to).buffer(), words, last - words, pattern);
    }
    const std::vector<std::byte> edge(8, std::byte{byte});
    const std::uint64_t head = std::min(words, end) - first, tail = end > last ? end - last : 0;
    if (head != 0) encode_upload(std::span(edge).first(head), to, offset);
    if (tail != 0) encode_upload(std::span(edge).first(tail), to, offset + size_bytes - tail);
}

void queue::encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) {
    if (from.empty()) return;
    const dispatch_storage::slot staged = core_->open().reserve(from.size());
    std::memcpy(staged.memory->mapped + staged.offset, from.data(), from.size());
    copy(staged.memory->buffer(), staged.offset, ours(to).buffer(), ours(to).first() + to_offset, from.size());
}

void queue::encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) {
    if (to.empty()) return;
    command_list& list = core_->open();
    const dispatch_storage::slot staged = list.reserve(to.size());
    copy(ours(from).buffer(), ours(from).first() + from_offset, staged.memory->buffer(), staged.offset, to.size());
    list.downloads.push_back({staged.memory, staged.offset, to});
}

/// All queues of a device share its VkQueue, and an event is recorded only in what has been submitted: the barrier in
/// front of each command already waits for all that was submitted before.
void queue::encode_wait(std::shared_ptr<backends::event>) {}

void queue::retain(void* object, void (*release)(void*) noexcept) { core_->open().retained.emplace_back(object, release); }

void queue::submit() { core_->submit(); }

bool queue::ready() const { return core_->has_room(); }

std::shared_ptr<backends::event> queue::record() {
    core_->open();
    std::optional<std::uint32_t> slot;
    if (core_->context().physical->has_timestamps) slot = core_->write_timestamp();
    core_->submit();
    return std::make_shared<event>(core_, core_->submitted(), slot);
}

void queue::synchronize() {
    core_->wait_for(core_->submitted());
    core_->throw_failure();
}

}  // namespace quern::vulkan
