#include "backends/cuda/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backends/cuda/reclaimer.hpp"

namespace quern::cuda {
namespace {

constexpr std::size_t alignment = 256;

class device_memory final : public backends::memory {
public:
    device_memory(std::shared_ptr<context> c, device_pointer p, std::size_t size) : context_(std::move(c)) {
        address = p;
        size_bytes = size;
    }
    ~device_memory() override {
        const current_context now(*context_);
        if (address != 0) context_->call().free(address);
    }

private:
    const std::shared_ptr<context> context_;
};

class pinned_memory final : public backends::memory {
public:
    pinned_memory(std::shared_ptr<context> c, void* host, device_pointer p, std::size_t size) : context_(std::move(c)) {
        mapped = static_cast<std::byte*>(host);
        address = p;
        size_bytes = size;
    }
    ~pinned_memory() override {
        const current_context now(*context_);
        if (mapped != nullptr) context_->call().free_host(mapped);
    }

private:
    const std::shared_ptr<context> context_;
};

std::string describe_free(const context& c) {
    std::size_t free_bytes = 0, total_bytes = 0;
    if (c.call().memory_info(&free_bytes, &total_bytes) != 0) return {};
    return fmt::format("; {} of {} bytes are free", free_bytes, total_bytes);
}

/// Tries again once queued work has let go of what nobody else holds.
template <class Allocate>
void try_twice(context& c, std::size_t size_bytes, const char* call, Allocate allocate) {
    int error = allocate();
    if (failed_with(error, code::out_of_memory)) {
        c.pool().sweep();
        error = allocate();
    }
    if (failed_with(error, code::out_of_memory))
        throw device_error(fmt::format("{}: out of memory: a buffer of {} bytes does not fit: {}{}", c.id(), size_bytes,
                                       c.call().describe(error), describe_free(c)));
    c.check(error, call);
}

}  // namespace

std::unique_ptr<backends::memory> allocate(const std::shared_ptr<context>& c, std::size_t size_bytes, backends::memory_kind kind) {
    const current_context now(*c);
    const std::size_t padded = std::max(size_bytes, alignment);  // an empty buffer has an address too
    device_pointer address = 0;
    switch (kind) {
        case backends::memory_kind::device:
            try_twice(*c, size_bytes, "cuMemAlloc", [&] { return c->call().allocate(&address, padded); });
            return std::make_unique<device_memory>(c, address, size_bytes);
        case backends::memory_kind::host_visible: break;
    }
    void* host = nullptr;
    try_twice(*c, size_bytes, "cuMemHostAlloc",
              [&] { return c->call().allocate_host(&host, padded, host_portable | host_mapped); });
    const int error = c->call().address_of_host(&address, host, 0);
    auto m = std::make_unique<pinned_memory>(c, host, address, size_bytes);
    c->check(error, "cuMemHostGetDevicePointer");
    return m;
}

std::unique_ptr<backends::memory> adopt_memory(std::uint64_t address, std::size_t size_bytes) {
    auto m = std::make_unique<backends::memory>();
    m->address = address;
    m->size_bytes = size_bytes;
    return m;
}

staging::~staging() {
    const current_context now(*context_);
    for (const chunk& c : chunks_) {
        if (c.bytes != nullptr) context_->call().free_host(c.bytes);
        if (c.left != nullptr) context_->call().event_destroy(c.left);
    }
}

/// The current chunk if anything fits in it, else the next one, once its copies are done.
staging::chunk& staging::with_room(std::size_t wanted, stream_handle s) {
    const driver& call = context_->call();
    chunk& now = chunks_[current_];
    if (now.bytes != nullptr && (now.used + wanted <= chunk_bytes || now.used == 0)) return now;
    if (now.bytes != nullptr) {
        if (now.left == nullptr) context_->check(call.event_create(&now.left, event_without_timing), "cuEventCreate");
        context_->check(call.event_record(now.left, s), "cuEventRecord");
        now.is_left = true;
        current_ = (current_ + 1) % chunks_.size();
    }
    chunk& next = chunks_[current_];
    if (next.bytes == nullptr) {
        void* host = nullptr;
        context_->check(call.allocate_host(&host, chunk_bytes, host_portable), "cuMemHostAlloc");
        next.bytes = static_cast<std::byte*>(host);
    }
    if (next.is_left) context_->check(call.event_synchronize(next.left), "cuEventSynchronize");
    next.is_left = false;
    next.used = 0;
    return next;
}

void staging::upload(std::span<const std::byte> from, device_pointer to, stream_handle s) {
    while (!from.empty()) {
        // A large upload goes in whole chunks; a small one goes behind the last if it fits there.
        chunk& c = with_room(std::min(from.size(), chunk_bytes), s);
        const std::size_t size = std::min(from.size(), chunk_bytes - c.used);
        std::memcpy(c.bytes + c.used, from.data(), size);
        context_->check(context_->call().upload(to, c.bytes + c.used, size, s), "cuMemcpyHtoDAsync");
        c.used += (size + alignment - 1) / alignment * alignment;
        from = from.subspan(size);
        to += size;
    }
}

}  // namespace quern::cuda
