// One allocation as the public handles share it.
#pragma once

#include <quern/buffer.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

#include "backends/backend.hpp"
#include "jit/runtime/reference_count.hpp"

namespace quern::quern_detail {

/// Memory and the set of queues that ever used it, so that host access waits for these and no others.
class buffer_state : public jit::reference_counted<buffer_state> {
public:
    buffer_state(handle<device_state> d, std::unique_ptr<backends::memory> m)
        : device_(std::move(d)), memory_(std::move(m)) {}

    device_state& device() const { return *device_; }
    backends::memory& memory() const { return *memory_; }

    void note_use(std::uint64_t queue_bit) noexcept {
        if ((users_.load(std::memory_order_relaxed) & queue_bit) == 0)
            users_.fetch_or(queue_bit, std::memory_order_relaxed);
    }
    /// Throws the work's device_error.
    void wait_for_use() const;

private:
    handle<device_state> device_;  // destroyed after the memory
    std::unique_ptr<backends::memory> memory_;
    std::atomic<std::uint64_t> users_{0};
};

/// Adds a reference to `b` that the queue's last encoded work drops when it is done.
void retain_for(backends::queue& q, buffer_state& b);

}  // namespace quern::quern_detail
