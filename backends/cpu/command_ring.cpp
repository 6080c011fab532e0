#include "backends/cpu/command_ring.hpp"

#include <utility>

namespace quern::cpu {

void command_ring::publish() noexcept {
    published_.store(opened_, std::memory_order_release);
    work_signal_.fetch_add(1);
    work_signal_.notify_one();
}

bool command_ring::run_next(scheduler* s, std::uint32_t threads) noexcept {
    const std::uint64_t next = completed_.load(std::memory_order_relaxed);
    if (next == published_.load(std::memory_order_acquire)) return false;
    command& c = commands_[next % capacity];
    try {
        c.run(s, threads);
    } catch (...) {
        const std::scoped_lock lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
        has_error_ = true;
    }
    c.clear();
    completed_.store(next + 1, std::memory_order_release);
    done_signal_.fetch_add(1);
    done_signal_.notify_all();
    return true;
}

bool command_ring::wait_for_work() const noexcept {
    for (;;) {
        const std::uint32_t seen = work_signal_.load();
        if (!is_done(published())) return true;
        if (stops_) return false;
        work_signal_.wait(seen);
    }
}

void command_ring::stop() noexcept {
    stops_ = true;
    work_signal_.fetch_add(1);
    work_signal_.notify_one();
}

void command_ring::wait_for(std::uint64_t sequence) const noexcept {
    for (;;) {
        const std::uint32_t seen = done_signal_.load();
        if (is_done(sequence)) return;
        done_signal_.wait(seen);
    }
}

void command_ring::throw_error() {
    if (!has_error_) return;
    std::exception_ptr error;
    {
        const std::scoped_lock lock(error_mutex_);
        error = std::exchange(error_, nullptr);
        has_error_ = false;
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace quern::cpu
