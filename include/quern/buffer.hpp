// Memory on a device: a shared handle to a range of elements. The memory lives until the last handle to it and the
// last queued work that uses it are gone.
#pragma once

#include <quern/detail/handle.hpp>
#include <quern/detail/host_range.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace quern {

/// How make_buffer allocates; combine with |.
enum class memory : std::uint8_t { zeroed = 0, uninitialised = 1, host_visible = 2 };

constexpr memory operator|(memory a, memory b) {
    return static_cast<memory>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

namespace quern_detail {

/// A range of a buffer, in bytes.
struct buffer_range {
    buffer_state* state = nullptr;
    std::size_t offset_bytes = 0;
    std::size_t size_bytes = 0;
};

/// Host access: waits for the work that uses the buffer. usage_error for an empty handle and inside a trace.
void upload(const buffer_range& to, const void* from, std::size_t size_bytes);
void download(const buffer_range& from, void* to, std::size_t size_bytes);
void* mapped(const buffer_range& range);
std::uint64_t native_handle(const buffer_range& range);
/// usage_error where [first, first + count) leaves [0, size).
void check_view(std::size_t size, std::size_t first, std::size_t count);

struct buffer_access;

}  // namespace quern_detail

/// `size()` elements of T on one device. A default-constructed handle is empty; using it is a usage_error.
template <class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>, "elements of a buffer are copied byte by byte: T must be trivially copyable");
    static_assert(!std::is_const_v<T>, "write buffer<T>; whether a kernel may write it is said by in<T> or inout<T>");

public:
    /// What the host sees of an element: T, or unsigned char of a buffer<bool>.
    using host_type = quern_detail::host_element_t<T>;

    buffer() = default;

    /// Elements.
    std::size_t size() const { return size_; }

    /// Replaces all elements, after the work that uses the buffer. usage_error if the range has another size.
    template <class R>
        requires quern_detail::uploadable_to<R, T>
    void upload(const R& range) const {
        quern_detail::upload(range_(), std::data(range), std::size(range) * sizeof(T));
    }
    void upload(std::initializer_list<T> elements) const {
        quern_detail::upload(range_(), elements.begin(), elements.size() * sizeof(T));
    }
    template <quern_detail::vector_of_bool R>
    void upload(const R&) const {
        static_assert(!std::is_same_v<R, R>, "std::vector<bool> is packed bits: upload std::vector<unsigned char>");
    }

    /// All elements, after the work that writes them; throws that work's device_error.
    std::vector<host_type> download() const {
        std::vector<host_type> elements(size_);
        download(std::span<host_type>(elements));
        return elements;
    }
    /// The same into memory of the caller's; usage_error if it has another size.
    void download(std::span<host_type> to) const { quern_detail::download(range_(), to.data(), to.size_bytes()); }

    /// Elements [first, first + count) of the same memory; usage_error past the end.
    buffer view(quern_detail::host_count first, quern_detail::host_count count) const {
        quern_detail::check_view(size_, first.value, count.value);
        return buffer(state_, first_ + first.value, count.value);
    }

    /// The elements in place, after the work that uses them: of host_visible buffers and on the CPU; else usage_error.
    std::span<host_type> mapped() const { return {static_cast<host_type*>(quern_detail::mapped(range_())), size_}; }

    /// The driver's own handle: the address of the first element (CPU, CUDA), or the VkBuffer.
    std::uint64_t native_handle() const { return quern_detail::native_handle(range_()); }

private:
    friend struct quern_detail::buffer_access;
    buffer(quern_detail::handle<quern_detail::buffer_state> state, std::size_t first, std::size_t size)
        : state_(std::move(state)), first_(first), size_(size) {}
    quern_detail::buffer_range range_() const { return {state_.get(), first_ * sizeof(T), size_ * sizeof(T)}; }

    quern_detail::handle<quern_detail::buffer_state> state_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

namespace quern_detail {

/// The library's own way into a buffer.
struct buffer_access {
    template <class T>
    static buffer<T> make(buffer_state* adopted, std::size_t size) {
        return buffer<T>(handle<buffer_state>(adopted), 0, size);
    }
    template <class T>
    static buffer_range range(const buffer<T>& b) {
        return b.range_();
    }
};

}  // namespace quern_detail
}  // namespace quern
