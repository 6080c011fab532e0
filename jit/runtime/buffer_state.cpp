#include "jit/runtime/buffer_state.hpp"

#include <quern/device.hpp>
#include <quern/error.hpp>

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <mutex>

#include "jit/runtime/device_state.hpp"
#include "jit/runtime/queue_state.hpp"

namespace quern::quern_detail {

void buffer_state::wait_for_use() const {
    if (const std::uint64_t users = users_.load(std::memory_order_relaxed)) device_->wait_for(users);
}

void retain(buffer_state* s) noexcept { s->retain(); }
void release(buffer_state* s) noexcept { s->release(); }

void retain_for(backends::queue& q, buffer_state& b) {
    b.retain();
    q.retain(&b, [](void* object) noexcept { static_cast<buffer_state*>(object)->release(); });
}

namespace {

/// Encodes with the device's own queue and waits for it.
template <class Encode>
void run_on_own_queue(buffer_state& b, const Encode& encode) {
    queue_state& q = b.device().own_queue();
    {
        const std::scoped_lock lock(q.mutex());
        encode(q.work());
        retain_for(q.work(), b);
        q.work().submit();
    }
    q.work().synchronize();
}

void check_equal_size(const char* call, std::size_t buffer_bytes, std::size_t host_bytes) {
    if (buffer_bytes != host_bytes)
        throw usage_error(fmt::format("{}: the buffer has {} bytes, the host's range {}; a part of a buffer is "
                                      "view(first, count)", call, buffer_bytes, host_bytes));
}

}  // namespace

buffer_state* make_buffer(device_state* d, std::size_t count, std::size_t element_bytes, memory kind) {
    forbid_in_trace("make_buffer");
    device_state& device = require(d, "device");
    const std::size_t most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    if (count > most)
        throw usage_error(fmt::format("make_buffer: the element count {} is negative",
                                      static_cast<std::ptrdiff_t>(count)));
    if (count > most / element_bytes)
        throw device_error(fmt::format("{}: a buffer of {} elements of {} bytes is larger than any memory", device.id(),
                                       count, element_bytes));
    const auto has = [&](memory flag) { return (static_cast<unsigned>(kind) & static_cast<unsigned>(flag)) != 0; };
    const std::size_t size_bytes = count * element_bytes;
    handle<buffer_state> b(new buffer_state(
        handle<device_state>::share(&device),
        device.device().allocate(size_bytes, has(memory::host_visible) ? backends::memory_kind::host_visible
                                                                       : backends::memory_kind::device)));
    if (!has(memory::uninitialised) && size_bytes != 0) {
        backends::memory& m = b->memory();
        // Finished on return, so that a launch on any queue sees the zeros.
        if (m.mapped != nullptr) std::memset(m.mapped, 0, size_bytes);
        else run_on_own_queue(*b, [&](backends::queue& q) { q.encode_fill(m, 0, size_bytes, 0); });
    }
    retain(b.get());
    return b.get();
}

buffer_state* wrap(device_state* d, void* host, std::size_t size_bytes) {
    forbid_in_trace("wrap");
    device_state& device = require(d, "device");
    std::unique_ptr<backends::memory> m = device.device().wrap({static_cast<std::byte*>(host), size_bytes});
    if (m == nullptr)
        throw usage_error(fmt::format("{}: this device cannot use host memory in place; upload it", device.id()));
    return new buffer_state(handle<device_state>::share(&device), std::move(m));
}

void upload(const buffer_range& to, const void* from, std::size_t size_bytes) {
    forbid_in_trace("upload");
    buffer_state& b = require(to.state, "buffer");
    check_equal_size("upload", to.size_bytes, size_bytes);
    b.wait_for_use();
    if (size_bytes == 0) return;
    backends::memory& m = b.memory();
    if (m.mapped != nullptr) std::memcpy(m.mapped + to.offset_bytes, from, size_bytes);
    else
        run_on_own_queue(b, [&](backends::queue& q) {
            q.encode_upload({static_cast<const std::byte*>(from), size_bytes}, m, to.offset_bytes);
        });
}

void download(const buffer_range& from, void* to, std::size_t size_bytes) {
    forbid_in_trace("download");
    buffer_state& b = require(from.state, "buffer");
    check_equal_size("download", from.size_bytes, size_bytes);
    b.wait_for_use();
    if (size_bytes == 0) return;
    backends::memory& m = b.memory();
    if (m.mapped != nullptr) std::memcpy(to, m.mapped + from.offset_bytes, size_bytes);
    else
        run_on_own_queue(b, [&](backends::queue& q) {
            q.encode_download(m, from.offset_bytes, {static_cast<std::byte*>(to), size_bytes});
        });
}

void* mapped(const buffer_range& range) {
    forbid_in_trace("mapped");
    buffer_state& b = require(range.state, "buffer");
    b.wait_for_use();
    if (b.memory().mapped == nullptr && b.memory().size_bytes != 0)
        throw usage_error(fmt::format("mapped: the host cannot reach this buffer of {}; make it with "
                                      "memory::host_visible", b.device().id()));
    return b.memory().mapped == nullptr ? nullptr : b.memory().mapped + range.offset_bytes;
}

std::uint64_t native_handle(const buffer_range& range) {
    const buffer_state& b = require(range.state, "buffer");
    // A VkBuffer is a name, not an address: an offset means nothing there.
    const bool is_address = b.device().target().info.backend != quern::backend::vulkan;
    return b.memory().address + (is_address ? range.offset_bytes : 0);
}

void check_view(std::size_t size, std::size_t first, std::size_t count) {
    if (first > size || count > size - first)
        throw usage_error(fmt::format("view({}, {}) of a buffer of {} elements goes past its end",
                                      static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(count), size));
}

}  // namespace quern::quern_detail
