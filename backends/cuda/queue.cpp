#include "backends/cuda/queue.hpp"

#include "backends/cuda/program.hpp"

namespace quern::cuda {
namespace {

stream_handle make_stream(context& c) {
    const current_context now(c);
    stream_handle s = nullptr;
    c.check(c.call().stream_create(&s, stream_non_blocking), "cuStreamCreate");
    return s;
}

}  // namespace

event::event(std::shared_ptr<context> c, stream_handle s, std::shared_ptr<recent_kernels> running)
    : context_(std::move(c)), running_(std::move(running)), before_(context_->mark_for(s)) {
    handle_ = context_->take_event();
    if (const int error = context_->call().event_record(handle_, s); error != 0) {
        context_->give_event(handle_);
        context_->check(error, "cuEventRecord", running_.get());
    }
}

event::~event() { context_->give_event(handle_); }

bool event::done() const {
    const current_context now(*context_);
    return !failed_with(context_->call().event_query(handle_), code::not_ready);
}

void event::wait() {
    const current_context now(*context_);
    context_->check(context_->call().event_synchronize(handle_), "cuEventSynchronize", running_.get());
}

std::uint64_t event::timestamp_ns() const {
    const current_context now(*context_);
    return context_->time_ns(before_, handle_);
}

queue::queue(std::shared_ptr<context> c) : queue(c, make_stream(*c), ownership::owned) {}
queue::queue(std::shared_ptr<context> c, stream_handle adopted) : queue(std::move(c), adopted, ownership::adopted) {}

queue::queue(std::shared_ptr<context> c, stream_handle s, ownership o)
    : context_(std::move(c)), stream_(s), ownership_(o), staging_(context_),
      retained_(std::make_shared<retained_work>(context_, s)) {
    context_->pool().list(retained_);
}

queue::~queue() {
    const current_context now(*context_);
    const driver& call = context_->call();
    const std::uint64_t end = retained_->added();
    call.stream_synchronize(stream_);  // an error was reported by a wait, or nobody waits
    retained_->drop_until(end);
    if (ownership_ == ownership::owned) call.stream_destroy(stream_);
}

void queue::encode(const backends::dispatch& d) {
    const current_context now(*context_);
    const auto& p = static_cast<const program&>(*d.program);
    running_->note(p.kernel_name());
    p.launch(d, stream_);
}

void queue::encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                        std::uint64_t to_offset, std::uint64_t size_bytes) {
    const current_context now(*context_);
    context_->check(context_->call().copy(to.address + to_offset, from.address + from_offset, size_bytes, stream_),
                    "cuMemcpyAsync", running_.get());
}

void queue::encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) {
    const current_context now(*context_);
    context_->check(context_->call().fill(to.address + offset, byte, size_bytes, stream_), "cuMemsetD8Async", running_.get());
}

void queue::encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) {
    const current_context now(*context_);
    staging_.upload(from, to.address + to_offset, stream_);
}

void queue::encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) {
    if (to.empty()) return;
    const current_context now(*context_);
    context_->check(context_->call().download(to.data(), from.address + from_offset, to.size(), stream_),
                    "cuMemcpyDtoHAsync", running_.get());
}

void queue::encode_wait(std::shared_ptr<backends::event> e) {
    const current_context now(*context_);
    const auto& awaited = static_cast<const event&>(*e);  // of this device, so of this kind
    context_->check(context_->call().stream_wait(stream_, awaited.handle(), 0), "cuStreamWaitEvent", running_.get());
}

void queue::retain(void* object, void (*release)(void*) noexcept) {
    const current_context now(*context_);
    retained_->add(object, release);
    context_->pool().wake();
}

void queue::submit() {
    const current_context now(*context_);
    retained_->mark_if_due();
}

bool queue::ready() const {
    // More references than the longest inline argument list has.
    return retained_->has_room(32) && !context_->is_lost();
}

std::shared_ptr<backends::event> queue::record() {
    const current_context now(*context_);
    return std::make_shared<event>(context_, stream_, running_);
}

void queue::synchronize() {
    const current_context now(*context_);
    const std::uint64_t end = retained_->added();
    const int error = context_->call().stream_synchronize(stream_);
    if (error == 0) {
        retained_->drop_until(end);
        return running_->forget();
    }
    context_->check(error, "cuStreamSynchronize", running_.get());
}

}  // namespace quern::cuda
