#include "backends/cpu/command.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "backends/cpu/import_table.hpp"
#include "backends/cpu/program.hpp"
#include "backends/cpu/queue.hpp"
#include "backends/cpu/scheduler.hpp"

namespace quern::cpu {
namespace {

/// Calls move(first, size) on parts of [0, size_bytes), large ranges on several threads: the pages of new memory are
/// first touched, and so placed, by the threads that will work on them, rather than all by one.
template <class Move>
void spread(scheduler* s, std::size_t size_bytes, const Move& move) {
    constexpr std::size_t part_bytes = 2u << 20;
    if (s == nullptr || size_bytes <= 2 * part_bytes) return move(0, size_bytes);
    struct parts {
        const Move& move;
        std::size_t size_bytes;
    } all{move, size_bytes};
    s->run((size_bytes + part_bytes - 1) / part_bytes, 1, [](void* context, std::uint64_t first, std::uint64_t last) {
        const parts& p = *static_cast<const parts*>(context);
        p.move(first * part_bytes, std::min(last * part_bytes, p.size_bytes) - first * part_bytes);
    }, &all);
}

}  // namespace

std::byte* command::reserve(std::size_t size_bytes) {
    if (size_bytes <= inline_bytes) return inline_.data();
    constexpr std::size_t alignment = 64;
    heap_ = std::make_unique_for_overwrite<std::byte[]>(size_bytes + alignment);
    void* start = heap_.get();
    std::size_t space = size_bytes + alignment;
    return static_cast<std::byte*>(std::align(alignment, size_bytes, start, space));
}

void command::set_dispatch(const backends::dispatch& d) {
    // Values, then the buffers' addresses, then their sizes.
    constexpr std::size_t word = sizeof(std::uint64_t);
    const std::size_t values_bytes = (d.values.size() + word - 1) / word * word;
    std::byte* const storage = reserve(values_bytes + 2 * word * d.buffers.size());
    std::copy(d.values.begin(), d.values.end(), storage);
    auto* const addresses = reinterpret_cast<const void**>(storage + values_bytes);
    auto* const sizes = reinterpret_cast<std::uint64_t*>(storage + values_bytes + word * d.buffers.size());
    for (std::size_t i = 0; i < d.buffers.size(); ++i) {
        ::new (&addresses[i]) const void*(d.buffers[i].buffer->mapped + d.buffers[i].offset_bytes);
        ::new (&sizes[i]) std::uint64_t(d.buffers[i].count);
    }
    launch_.buffers = addresses;
    launch_.sizes = sizes;
    launch_.values = storage;
    std::copy(d.extent.begin(), d.extent.end(), launch_.extent);
    std::copy(d.groups.begin(), d.groups.end(), launch_.groups);
    launch_.imports = imports();
    program_ = static_cast<const cpu::program*>(d.program);
    action_ = action::dispatch;
}

void command::set_copy(const std::byte* from, std::byte* to, std::size_t size_bytes) {
    from_ = from;
    to_ = to;
    size_bytes_ = size_bytes;
    action_ = action::copy;
}

void command::set_fill(std::byte* to, std::size_t size_bytes, std::uint8_t byte) {
    to_ = to;
    size_bytes_ = size_bytes;
    byte_ = byte;
    action_ = action::fill;
}

void command::set_upload(std::span<const std::byte> from, std::byte* to) {
    std::byte* const staged = reserve(from.size());
    std::copy(from.begin(), from.end(), staged);
    set_copy(staged, to, from.size());
}

void command::set_wait(std::shared_ptr<event> e) {
    event_ = std::move(e);
    action_ = action::wait;
}

void command::set_signal(std::shared_ptr<event> e) {
    event_ = std::move(e);
    action_ = action::signal;
}

bool command::retain(retained_object r) noexcept {
    if (retained_count_ == most_retained) return false;
    retained_[retained_count_++] = r;
    return true;
}

void command::run(scheduler* s, std::uint32_t threads) {
    switch (action_) {
        case action::none: break;
        case action::dispatch: program_->run(launch_, s, threads); break;
        case action::copy:
            spread(s, size_bytes_, [&](std::size_t first, std::size_t size) { std::memcpy(to_ + first, from_ + first, size); });
            break;
        case action::fill:
            spread(s, size_bytes_, [&](std::size_t first, std::size_t size) { std::memset(to_ + first, byte_, size); });
            break;
        case action::wait: event_->wait_on_device(); break;
        case action::signal: event_->stamp(); break;
    }
}

void command::clear() noexcept {
    for (std::uint32_t i = 0; i < retained_count_; ++i) retained_[i].release(retained_[i].object);
    retained_count_ = 0;
    event_.reset();
    heap_.reset();
    action_ = action::none;
}

}  // namespace quern::cpu
