// A point in a queue's work.
#pragma once

#include <quern/detail/handle.hpp>

namespace quern {

/// Reached when everything that its queue was given before has finished. A shared handle; made by queue::record().
class event {
public:
    event() = default;
    explicit event(quern_detail::handle<quern_detail::event_state> state) : state_(std::move(state)) {}

    /// True once it was reached; never waits.
    bool done() const;
    /// Waits until it is reached; throws device_error, naming the kernel, if work before it failed.
    void wait() const;
    /// Device time in milliseconds from `since` to this event; waits for both. usage_error across devices.
    double elapsed_ms(const event& since) const;

    quern_detail::event_state* state() const { return state_.get(); }

private:
    quern_detail::handle<quern_detail::event_state> state_;
};

}  // namespace quern
