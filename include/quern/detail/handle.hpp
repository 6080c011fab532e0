// Shared handles to the runtime's objects: intrusive reference counts behind forward declarations, so that public
// headers need neither <memory> nor the objects' definitions (jit/runtime).
#pragma once

#include <utility>

namespace quern {

template <class Signature>
class kernel;
template <class Signature>
class prepared;

}  // namespace quern

namespace quern::quern_detail {

class runtime_state;
class device_state;
class buffer_state;
class queue_state;
class event_state;
class kernel_state;

void retain(runtime_state* s) noexcept;
void retain(device_state* s) noexcept;
void retain(buffer_state* s) noexcept;
void retain(queue_state* s) noexcept;
void retain(event_state* s) noexcept;
void retain(kernel_state* s) noexcept;
void release(runtime_state* s) noexcept;
void release(device_state* s) noexcept;
void release(buffer_state* s) noexcept;
void release(queue_state* s) noexcept;
void release(event_state* s) noexcept;
void release(kernel_state* s) noexcept;

/// One reference to a State, or none.
template <class State>
class handle {
public:
    handle() = default;
    /// Takes over a reference that the caller holds; use share() to add one.
    explicit handle(State* adopted) noexcept : state_(adopted) {}
    handle(const handle& other) noexcept : state_(other.state_) {
        if (state_) retain(state_);
    }
    handle(handle&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    handle& operator=(const handle& other) noexcept {
        handle(other).swap(*this);
        return *this;
    }
    handle& operator=(handle&& other) noexcept {
        handle(std::move(other)).swap(*this);
        return *this;
    }
    ~handle() {
        if (state_) release(state_);
    }

    static handle share(State* s) noexcept {
        if (s) retain(s);
        return handle(s);
    }

    void swap(handle& other) noexcept { std::swap(state_, other.state_); }
    State* get() const noexcept { return state_; }
    State& operator*() const noexcept { return *state_; }
    State* operator->() const noexcept { return state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }
    friend bool operator==(const handle& a, const handle& b) noexcept { return a.state_ == b.state_; }

private:
    State* state_ = nullptr;
};

}  // namespace quern::quern_detail
