// A CPU device's queue: commands run in order on its worker thread or on a host thread that waits for them, whichever is
// there first; inline, on the thread that submits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "backends/backend.hpp"
#include "backends/cpu/command_ring.hpp"
#include "platform/process.hpp"

namespace quern::cpu {

class scheduler;

/// What a queue shares with its worker thread and its events, which may outlive it.
struct queue_core {
    command_ring ring;
    std::shared_ptr<cpu::scheduler> scheduler;  ///< null: commands run on the submitting thread alone
    std::uint32_t threads = 1;
    const std::uint32_t fork_count = platform::fork_count();

    /// False in the child of a fork, which has the queue's memory but not its worker.
    bool has_worker() const noexcept { return platform::fork_count() == fork_count; }
    /// device_error where there is no worker to do what is waited for or submitted.
    void require_worker() const;
    /// Runs the commands before this sequence number, or waits for the thread that does.
    void wait_for(std::uint64_t sequence);
    /// Runs all that is published; waits while another thread does that.
    void run_all() noexcept;
    /// True in what a command of this queue does, such as dropping the last reference to the queue.
    bool runs_on_this_thread() const noexcept {
        return consumer_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }

private:
    void run_until(std::uint64_t sequence) noexcept;

    std::mutex consumer_mutex_;  ///< held while running commands
    std::atomic<std::thread::id> consumer_{};
};

class event final : public backends::event {
public:
    event(std::shared_ptr<queue_core> core, std::uint64_t sequence) : core_(std::move(core)), sequence_(sequence) {}

    bool done() const override { return core_->ring.is_done(sequence_); }
    void wait() override;
    std::uint64_t timestamp_ns() const override { return timestamp_ns_; }

    /// Without throwing: errors surface where the host waits.
    void wait_on_device() const noexcept { core_->ring.wait_for(sequence_); }
    void stamp() noexcept;

private:
    const std::shared_ptr<queue_core> core_;
    const std::uint64_t sequence_;  ///< reached when so many commands are done
    std::uint64_t timestamp_ns_ = 0;
};

class queue final : public backends::queue {
public:
    /// Inline without a scheduler.
    queue(std::shared_ptr<cpu::scheduler> s, std::uint32_t threads);
    /// Finishes what was submitted.
    ~queue() override;

    void encode(const backends::dispatch& d) override;
    void encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                     std::uint64_t to_offset, std::uint64_t size_bytes) override;
    void encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes,
                     std::uint8_t byte) override;
    void encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) override;
    void encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) override;
    void encode_wait(std::shared_ptr<backends::event> e) override;
    void retain(void* object, void (*release)(void*) noexcept) override;
    void submit() override;
    bool ready() const override;
    std::shared_ptr<backends::event> record() override;
    void synchronize() override;

private:
    /// Waits for room if the ring is full.
    command& open();

    const std::shared_ptr<queue_core> core_;
    std::thread worker_;
};

}  // namespace quern::cpu
