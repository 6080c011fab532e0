// A queue of a device: its work runs in order; across queues only events order it.
#pragma once

#include <quern/argument.hpp>
#include <quern/event.hpp>

namespace quern {

namespace quern_detail {

void enqueue_copy(queue_state* q, const buffer_range& from, const buffer_range& to);
void enqueue_upload(queue_state* q, const buffer_range& to, const void* from, std::size_t size_bytes);
void enqueue_download(queue_state* q, const buffer_range& from, void* to, std::size_t size_bytes);

}  // namespace quern_detail

/// A shared handle; made by device::make_queue(). Calls from several threads are allowed and are serialised.
/// Errors of asynchronous work surface as device_error at the next wait.
class queue {
public:
    queue() = default;
    explicit queue(quern_detail::handle<quern_detail::queue_state> state) : state_(std::move(state)) {}

    /// Queues one launch. usage_error, naming the kernel, for bad arguments or shapes.
    template <class... P>
    void launch(const kernel<void(P...)>& k, const launch_shape& shape, quern_detail::argument_for<P>... arguments) const {
        quern_detail::launch_with(state_.get(), k.state(), shape, arguments...);
    }

    /// Copies all elements; usage_error if the sizes differ or the ranges overlap.
    template <class T>
    void copy(const buffer<T>& from, const buffer<T>& to) const {
        quern_detail::enqueue_copy(state_.get(), quern_detail::buffer_access::range(from), quern_detail::buffer_access::range(to));
    }
    /// Replaces all elements; the range is read before this returns.
    template <class T, class R>
        requires quern_detail::uploadable_to<R, T>
    void upload(const buffer<T>& to, const R& range) const {
        quern_detail::enqueue_upload(state_.get(), quern_detail::buffer_access::range(to), std::data(range),
                               std::size(range) * sizeof(T));
    }
    template <class T>
    void upload(const buffer<T>& to, std::initializer_list<std::type_identity_t<T>> elements) const {
        quern_detail::enqueue_upload(state_.get(), quern_detail::buffer_access::range(to), elements.begin(),
                                     elements.size() * sizeof(T));
    }
    /// Writes all elements to `to` when the queue gets there; `to` must live until then.
    template <class T>
    void download(const buffer<T>& from, std::span<quern_detail::host_element_t<T>> to) const {
        quern_detail::enqueue_download(state_.get(), quern_detail::buffer_access::range(from), to.data(), to.size_bytes());
    }

    /// What is queued from now on starts after `e`, which may belong to another queue of the device.
    void wait(const event& e) const;
    /// The point after everything queued so far.
    event record() const;
    /// Waits for everything queued so far.
    void synchronize() const;

    quern_detail::queue_state* state() const { return state_.get(); }

private:
    quern_detail::handle<quern_detail::queue_state> state_;
};

}  // namespace quern
