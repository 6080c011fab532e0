// A queue and its events as the public handles share them.
#pragma once

#include <quern/detail/handle.hpp>

#include <cstdint>
#include <memory>
#include <mutex>

#include "backends/backend.hpp"
#include "jit/runtime/reference_count.hpp"

namespace quern::quern_detail {

/// A backend's queue with the one lock that serialises encoding. Of the device's own queue, which the device owns,
/// `keeps_device` is empty.
class queue_state : public jit::reference_counted<queue_state> {
public:
    queue_state(device_state& d, handle<device_state> keeps_device);
    /// Around a backend queue that was adopted.
    queue_state(device_state& d, handle<device_state> keeps_device, std::shared_ptr<backends::queue> q);
    /// Waits for the queue's work.
    ~queue_state();

    device_state& device() const { return device_; }
    backends::queue& work() const { return *queue_; }
    std::mutex& mutex() { return mutex_; }
    /// The bit by which buffers remember that this queue used them.
    std::uint64_t bit() const { return bit_; }

private:
    handle<device_state> keeps_device_;
    device_state& device_;
    std::shared_ptr<backends::queue> queue_;
    std::uint64_t bit_ = 0;
    std::mutex mutex_;
};

class event_state : public jit::reference_counted<event_state> {
public:
    event_state(handle<device_state> d, std::shared_ptr<backends::event> e)
        : device_(std::move(d)), event_(std::move(e)) {}
    device_state* device() const { return device_.get(); }
    const std::shared_ptr<backends::event>& event() const { return event_; }

private:
    handle<device_state> device_;
    std::shared_ptr<backends::event> event_;
};

}  // namespace quern::quern_detail
