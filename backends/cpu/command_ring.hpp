// A queue's commands in a ring of fixed capacity: one producer (the runtime serialises it), one consumer, no locks.
// Sequence numbers count commands from the queue's beginning.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "backends/cpu/command.hpp"

namespace quern::cpu {

class command_ring {
public:
    static constexpr std::uint64_t capacity = 256;

    /// Producer: the next command, empty, to be filled and published; has_room() must hold.
    command& open() { return commands_[opened_++ % capacity]; }
    /// Producer: the sequence number after the last opened command.
    std::uint64_t opened() const { return opened_; }
    /// Producer: the command that was opened last and is not published yet, or null.
    command* last_open() {
        return opened_ == published_.load(std::memory_order_relaxed) ? nullptr : &commands_[(opened_ - 1) % capacity];
    }
    bool has_room(std::uint64_t commands = 1) const {
        return opened_ + commands - completed_.load(std::memory_order_acquire) <= capacity;
    }
    /// Producer: hands over what was opened.
    void publish() noexcept;
    std::uint64_t published() const { return published_.load(std::memory_order_acquire); }

    /// Consumer: runs the next published command; false if there is none.
    bool run_next(scheduler* s, std::uint32_t threads) noexcept;
    /// Consumer: waits until there is something to run (true) or stop() was called and all is done (false).
    bool wait_for_work() const noexcept;
    void stop() noexcept;

    /// Anyone: waits until the commands before this sequence number are done.
    void wait_for(std::uint64_t sequence) const noexcept;
    bool is_done(std::uint64_t sequence) const noexcept {
        return completed_.load(std::memory_order_acquire) >= sequence;
    }
    /// Throws the first error of a command since the last call.
    void throw_error();

private:
    const std::unique_ptr<command[]> commands_ = std::make_unique<command[]>(capacity);
    std::uint64_t opened_ = 0;
    std::atomic<std::uint64_t> published_{0};
    std::atomic<std::uint64_t> completed_{0};
    std::atomic<std::uint32_t> work_signal_{0};  ///< changes when there is something new for the consumer
    std::atomic<std::uint32_t> done_signal_{0};  ///< changes when a command is done
    std::atomic<bool> stops_{false};
    std::atomic<bool> has_error_{false};
    std::mutex error_mutex_;
    std::exception_ptr error_;
};

}  // namespace quern::cpu
