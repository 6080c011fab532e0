#include "jit/runtime/queue_state.hpp"

#include <quern/error.hpp>
#include <quern/prepared.hpp>

#include <fmt/format.h>

#include "jit/runtime/buffer_state.hpp"
#include "jit/runtime/device_state.hpp"

namespace quern::quern_detail {

queue_state::queue_state(device_state& d, handle<device_state> keeps_device)
    : queue_state(d, std::move(keeps_device), d.device().make_queue()) {}

queue_state::queue_state(device_state& d, handle<device_state> keeps_device, std::shared_ptr<backends::queue> q)
    : keeps_device_(std::move(keeps_device)), device_(d), queue_(std::move(q)), bit_(d.list_queue(queue_)) {}

queue_state::~queue_state() {
    // Listed until its work is done: a download on another thread must still find and wait for it.
    try {
        queue_->synchronize();
    } catch (const error& e) {
        jit::log(device_.settings(), log_level::error, fmt::format("lost with its queue: {}", e.what()));
    }
    device_.forget_queue(queue_.get());
}

void retain(queue_state* s) noexcept { s->retain(); }
void release(queue_state* s) noexcept { s->release(); }
void retain(event_state* s) noexcept { s->retain(); }
void release(event_state* s) noexcept { s->release(); }

bool belongs_to(const queue_state* q, const device_state* d) noexcept { return q != nullptr && &q->device() == d; }

namespace {

buffer_state& require_of(const buffer_range& range, const queue_state& q, const char* call) {
    buffer_state& b = require(range.state, "buffer");
    if (&b.device() != &q.device())
        throw usage_error(fmt::format("{}: a buffer of device {} on a queue of device {}", call, b.device().id(),
                                      q.device().id()));
    return b;
}

void check_equal_size(const char* call, std::size_t from_bytes, std::size_t to_bytes) {
    if (from_bytes != to_bytes)
        throw usage_error(fmt::format("{}: source and destination differ in size: {} and {} bytes", call, from_bytes,
                                      to_bytes));
}

}  // namespace

void enqueue_copy(queue_state* state, const buffer_range& from, const buffer_range& to) {
    forbid_in_trace("copy");
    queue_state& q = require(state, "queue");
    buffer_state& source = require_of(from, q, "copy");
    buffer_state& target = require_of(to, q, "copy");
    check_equal_size("copy", from.size_bytes, to.size_bytes);
    if (&source == &target && from.offset_bytes < to.offset_bytes + to.size_bytes &&
        to.offset_bytes < from.offset_bytes + from.size_bytes)
        throw usage_error("copy: source and destination overlap");
    if (from.size_bytes == 0) return;
    const std::scoped_lock lock(q.mutex());
    q.work().encode_copy(source.memory(), from.offset_bytes, target.memory(), to.offset_bytes, from.size_bytes);
    for (buffer_state* b : {&source, &target}) {
        retain_for(q.work(), *b);
        b->note_use(q.bit());
    }
    q.work().submit();
}

void enqueue_upload(queue_state* state, const buffer_range& to, const void* from, std::size_t size_bytes) {
    forbid_in_trace("upload");
    queue_state& q = require(state, "queue");
    buffer_state& b = require_of(to, q, "upload");
    check_equal_size("upload", size_bytes, to.size_bytes);
    if (size_bytes == 0) return;
    const std::scoped_lock lock(q.mutex());
    q.work().encode_upload({static_cast<const std::byte*>(from), size_bytes}, b.memory(), to.offset_bytes);
    retain_for(q.work(), b);
    b.note_use(q.bit());
    q.work().submit();
}

void enqueue_download(queue_state* state, const buffer_range& from, void* to, std::size_t size_bytes) {
    forbid_in_trace("download");
    queue_state& q = require(state, "queue");
    buffer_state& b = require_of(from, q, "download");
    check_equal_size("download", from.size_bytes, size_bytes);
    if (size_bytes == 0) return;
    const std::scoped_lock lock(q.mutex());
    q.work().encode_download(b.memory(), from.offset_bytes, {static_cast<std::byte*>(to), size_bytes});
    retain_for(q.work(), b);
    b.note_use(q.bit());
    q.work().submit();
}

}  // namespace quern::quern_detail

namespace quern {

void queue::wait(const event& e) const {
    quern_detail::forbid_in_trace("wait");
    quern_detail::queue_state& q = quern_detail::require(state_.get(), "queue");
    const quern_detail::event_state& s = quern_detail::require(e.state(), "event");
    if (s.device() != &q.device())
        throw usage_error("queue::wait: the event belongs to another device; wait for it on the host: e.wait()");
    const std::scoped_lock lock(q.mutex());
    q.work().encode_wait(s.event());
    q.work().submit();
}

event queue::record() const {
    quern_detail::forbid_in_trace("record");
    quern_detail::queue_state& q = quern_detail::require(state_.get(), "queue");
    const std::scoped_lock lock(q.mutex());
    return event(quern_detail::handle(
        new quern_detail::event_state(quern_detail::handle<quern_detail::device_state>::share(&q.device()), q.work().record())));
}

void queue::synchronize() const {
    quern_detail::forbid_in_trace("synchronize");
    quern_detail::require(state_.get(), "queue").work().synchronize();
}

bool event::done() const { return quern_detail::require(state_.get(), "event").event()->done(); }

void event::wait() const {
    quern_detail::forbid_in_trace("wait");
    quern_detail::require(state_.get(), "event").event()->wait();
}

double event::elapsed_ms(const event& since) const {
    const quern_detail::event_state& first = quern_detail::require(since.state(), "event");
    const quern_detail::event_state& last = quern_detail::require(state_.get(), "event");
    if (first.device() != last.device())
        throw usage_error("elapsed_ms: the events belong to different devices, whose clocks differ");
    first.event()->wait();
    last.event()->wait();
    const std::uint64_t a = first.event()->timestamp_ns(), b = last.event()->timestamp_ns();
    return b >= a ? static_cast<double>(b - a) * 1e-6 : -static_cast<double>(a - b) * 1e-6;
}

}  // namespace quern
