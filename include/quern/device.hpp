// A device: where kernels run and buffers live.
#pragma once

#include <quern/queue.hpp>
#include <quern/target.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace quern {

/// Launches on a CPU device use at most this many threads; 0: the calling thread, finished on return.
struct cpu_options {
    static constexpr unsigned all_threads = ~0u;
    unsigned threads = all_threads;
};

namespace quern_detail {

buffer_state* make_buffer(device_state* d, std::size_t count, std::size_t element_bytes, memory kind);
buffer_state* wrap(device_state* d, void* host, std::size_t size_bytes);

}  // namespace quern_detail

/// A shared handle. `all`, `best`, `find` and `cpu` belong to the default runtime, which QUERN_DEVICE (a comma list
/// such as "cpu,vulkan:0") restricts; naming an absent device there makes them throw a usage_error.
class device {
public:
    device() = default;
    explicit device(quern_detail::handle<quern_detail::device_state> state) : state_(std::move(state)) {}

    /// Every usable device, best first.
    static std::vector<device> all();
    /// The first of all(). device_error where there is none.
    static device best();
    /// The device of this id, such as "cpu", "cuda:0" or "reference"; usage_error, listing those present, if unknown.
    static device find(std::string_view id);
    /// This CPU with a number of threads of its own.
    static device cpu(cpu_options options = {});

    /// What find() takes: "cpu", "cuda:0".
    const std::string& id() const;
    /// "AMD EPYC", "NVIDIA H200".
    const std::string& name() const { return info().name; }
    quern::backend backend() const { return info().backend; }
    /// What kernels see through target().
    const target_info& info() const;
    /// Waits for all work of all of the device's queues; throws the first asynchronous device_error.
    void synchronize() const;
    queue make_queue() const;
    /// The driver's own handle, or null where there is none (CPU).
    void* native_handle() const;

    /// `count` elements, zeroed unless memory::uninitialised. device_error above the device's memory budget.
    template <class T>
    buffer<T> make_buffer(quern_detail::host_count count, memory kind = memory::zeroed) const {
        return quern_detail::buffer_access::make<T>(quern_detail::make_buffer(state_.get(), count.value, sizeof(T), kind),
                                              count.value);
    }
    /// A new buffer with the elements of a contiguous range.
    template <quern_detail::contiguous_range R>
    buffer<quern_detail::range_element<R>> upload(const R& range) const {
        auto b = make_buffer<quern_detail::range_element<R>>(std::size(range), memory::uninitialised);
        b.upload(range);
        return b;
    }
    template <class T>
    buffer<T> upload(std::initializer_list<T> range) const {
        auto b = make_buffer<T>(range.size(), memory::uninitialised);
        b.upload(range);
        return b;
    }
    template <quern_detail::vector_of_bool R>
    void upload(const R&) const {
        static_assert(!std::is_same_v<R, R>, "std::vector<bool> is packed bits: upload std::vector<unsigned char> "
                                             "into a make_buffer<bool>");
    }
    /// Host memory used in place on a CPU device (usage_error elsewhere); it must outlive the buffer and its work.
    template <class T, std::size_t N>
    buffer<T> wrap(std::span<T, N> host) const {
        return quern_detail::buffer_access::make<T>(quern_detail::wrap(state_.get(), host.data(), host.size_bytes()), host.size());
    }
    template <class R>
        requires requires(R& r) { std::span(r); }
    auto wrap(R& host) const {
        return wrap(std::span(host));
    }

    /// Queues one launch on the device's own queue: asynchronous, in order; compiles (or loads) at the first one.
    template <class... P>
    void launch(const kernel<void(P...)>& k, const launch_shape& shape, quern_detail::argument_for<P>... arguments) const {
        quern_detail::launch_with(state_.get(), k.state(), shape, arguments...);
    }

    quern_detail::device_state* state() const { return state_.get(); }
    friend bool operator==(const device& a, const device& b) { return a.state_ == b.state_; }

private:
    quern_detail::handle<quern_detail::device_state> state_;
};

}  // namespace quern
