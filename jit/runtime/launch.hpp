// From a launch's arguments to encoded work: checks, packs and submits. A warm launch allocates nothing and takes the
// queue's lock only.
#pragma once

#include <quern/argument.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backends/backend.hpp"
#include "jit/runtime/variant.hpp"

namespace quern::jit {

/// An array of trivial elements, inside the object while it is small.
template <class T, std::size_t Inline>
class small_array {
public:
    explicit small_array(std::size_t size) : size_(size) {
        if (size > Inline) heap_ = std::make_unique_for_overwrite<T[]>(size);
    }
    T* data() { return heap_ ? heap_.get() : inline_.data(); }
    T& operator[](std::size_t i) { return data()[i]; }
    std::span<T> all() { return {data(), size_}; }
    bool is_inline() const { return heap_ == nullptr; }

private:
    std::size_t size_;
    std::unique_ptr<T[]> heap_;
    alignas(16) std::array<T, Inline> inline_;
};

/// A launch that was checked, as encode takes it. Lives on the stack.
class packed_launch {
public:
    /// usage_error, naming the kernel, for arguments and shapes that this kernel must not be given.
    packed_launch(const variant& v, const quern_detail::device_state& d, const launch_shape& shape,
                  std::span<const quern_detail::argument_ref> arguments);

    bool is_empty() const;
    bool is_inline() const { return buffers_.is_inline() && values_.is_inline(); }
    /// As encode takes it; valid as long as this object.
    backends::dispatch dispatch_of(const variant& v) { return {v.program.get(), buffers_.all(), values_.all(), extent_, groups_}; }
    /// Encodes, passes the references that the work needs, and submits; the caller holds the queue's lock.
    void submit_to(quern_detail::queue_state& q, variant& v);

private:
    void pack_arguments(const variant& v, const quern_detail::device_state& d,
                        std::span<const quern_detail::argument_ref> arguments);
    void check_overlap(const variant& v, std::span<const quern_detail::argument_ref> arguments) const;
    void pack_shape(const variant& v, const launch_shape& shape);

    small_array<backends::buffer_argument, 16> buffers_;
    small_array<quern_detail::buffer_state*, 16> states_;
    small_array<std::byte, 512> values_;
    std::array<std::uint64_t, 3> extent_{1, 1, 1};
    std::array<std::uint64_t, 3> groups_{1, 1, 1};
};

constexpr ir::launch_kind kind_of(const launch_shape& s) {
    switch (s.kind) {
        case launch_shape::kind_type::over: return ir::launch_kind::over;
        case launch_shape::kind_type::groups: return ir::launch_kind::groups;
        case launch_shape::kind_type::tiles: return ir::launch_kind::tiles;
    }
    return ir::launch_kind::over;
}

/// Launches a kernel whose arguments are known at run time only.
void launch(quern_detail::queue_state& q, quern_detail::kernel_state& k, const launch_shape& shape,
            std::span<const quern_detail::argument_ref> arguments);

}  // namespace quern::jit
