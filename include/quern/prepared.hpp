// A kernel that is compiled and loaded for one device ahead of its launches.
#pragma once

#include <quern/device.hpp>

namespace quern {

/// What try_launch did: `not_ready` means that it would have had to compile, allocate, lock or wait; `failed`, that
/// launch would have thrown (a bad argument or shape).
enum class status : unsigned char { ok, not_ready, failed };

namespace quern_detail {

[[noreturn]] void throw_other_device(const kernel_state* k);
bool belongs_to(const queue_state* q, const device_state* d) noexcept;
status try_launch(queue_state* q, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
                  std::size_t count) noexcept;
status try_launch(device_state* d, kernel_state* k, const launch_shape& shape, const argument_ref* arguments,
                  std::size_t count) noexcept;

}  // namespace quern_detail

/// A shared handle; made by kernel::prepare().
template <class... P>
class prepared<void(P...)> {
public:
    prepared() = default;
    prepared(quern_detail::handle<quern_detail::kernel_state> k, quern_detail::handle<quern_detail::device_state> d)
        : kernel_(std::move(k)), device_(std::move(d)) {}

    /// As device::launch; usage_error for another device than the one it was prepared for.
    void launch(const queue& q, const launch_shape& shape, quern_detail::argument_for<P>... arguments) const {
        if (!quern_detail::belongs_to(q.state(), device_.get())) quern_detail::throw_other_device(kernel_.get());
        quern_detail::launch_with(q.state(), kernel_.get(), shape, arguments...);
    }
    void launch(const device& d, const launch_shape& shape, quern_detail::argument_for<P>... arguments) const {
        if (d.state() != device_.get()) quern_detail::throw_other_device(kernel_.get());
        quern_detail::launch_with(d.state(), kernel_.get(), shape, arguments...);
    }

    /// Launches only if that needs no compilation, allocation, lock or wait.
    status try_launch(const queue& q, const launch_shape& shape, quern_detail::argument_for<P>... arguments) const noexcept {
        if (!quern_detail::belongs_to(q.state(), device_.get())) return status::failed;
        const quern_detail::argument_ref refs[sizeof...(P) + 1] = {arguments.ref()..., {}};
        return quern_detail::try_launch(q.state(), kernel_.get(), shape, refs, sizeof...(P));
    }
    status try_launch(const device& d, const launch_shape& shape, quern_detail::argument_for<P>... arguments) const noexcept {
        if (d.state() != device_.get()) return status::failed;
        const quern_detail::argument_ref refs[sizeof...(P) + 1] = {arguments.ref()..., {}};
        return quern_detail::try_launch(d.state(), kernel_.get(), shape, refs, sizeof...(P));
    }

private:
    quern_detail::handle<quern_detail::kernel_state> kernel_;
    quern_detail::handle<quern_detail::device_state> device_;
};

template <class... P>
prepared(const prepared<void(P...)>&) -> prepared<void(P...)>;

}  // namespace quern
