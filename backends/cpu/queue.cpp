#include "backends/cpu/queue.hpp"

#include <chrono>
#include <cstring>

#include <quern/error.hpp>

#include "backends/cpu/scheduler.hpp"

namespace quern::cpu {
namespace {

void work(const std::shared_ptr<queue_core> core) {
    while (core->ring.wait_for_work()) core->run_all();
}

}  // namespace

void queue_core::require_worker() const {
    if (!has_worker())
        throw device_error("cpu: this process was forked after the device was opened, and the device's threads stayed in "
                           "the parent; open the device after the fork, through a runtime of the child's own");
}

void queue_core::run_until(std::uint64_t sequence) noexcept {
    consumer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    while (!ring.is_done(sequence) && ring.run_next(scheduler.get(), threads)) {}
    consumer_.store(std::thread::id(), std::memory_order_relaxed);
}

void queue_core::run_all() noexcept {
    constexpr std::uint64_t no_end = ~std::uint64_t{0};
    const std::scoped_lock lock(consumer_mutex_);
    run_until(no_end);
}

void queue_core::wait_for(std::uint64_t sequence) {
    if (ring.is_done(sequence)) return;
    require_worker();
    // The worker may still be asleep, and waking it takes longer than a small kernel.
    if (const std::unique_lock lock(consumer_mutex_, std::try_to_lock); lock.owns_lock()) run_until(sequence);
    ring.wait_for(sequence);
}

void event::wait() {
    core_->wait_for(sequence_);
    core_->ring.throw_error();
}

void event::stamp() noexcept {
    timestamp_ns_ = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

queue::queue(std::shared_ptr<cpu::scheduler> s, std::uint32_t threads) : core_(std::make_shared<queue_core>()) {
    core_->scheduler = std::move(s);
    core_->threads = threads;
    if (core_->scheduler != nullptr) worker_ = std::thread(work, core_);
}

queue::~queue() {
    if (!worker_.joinable()) return;
    if (!core_->has_worker()) {
        // Its number may be another thread's by now: nothing may be asked of it.
        [[maybe_unused]] const auto* const left_behind = new std::thread(std::move(worker_));
        return;
    }
    core_->ring.stop();
    // A command that held the last reference to the device gets here; who runs it, and the worker, keep the core.
    if (core_->runs_on_this_thread()) worker_.detach();
    else worker_.join();
}

command& queue::open() {
    if (!core_->ring.has_room()) {
        submit();
        core_->ring.wait_for(core_->ring.published() + 1 - command_ring::capacity);
    }
    return core_->ring.open();
}

void queue::encode(const backends::dispatch& d) { open().set_dispatch(d); }

void queue::encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                        std::uint64_t to_offset, std::uint64_t size_bytes) {
    open().set_copy(from.mapped + from_offset, to.mapped + to_offset, size_bytes);
}

void queue::encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) {
    open().set_fill(to.mapped + offset, size_bytes, byte);
}

void queue::encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) {
    if (core_->ring.is_done(core_->ring.opened())) std::memcpy(to.mapped + to_offset, from.data(), from.size());
    else open().set_upload(from, to.mapped + to_offset);
}

void queue::encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) {
    open().set_copy(from.mapped + from_offset, to.data(), to.size());
}

void queue::encode_wait(std::shared_ptr<backends::event> e) {
    open().set_wait(std::static_pointer_cast<event>(std::move(e)));  // of this device, so of this kind
}

void queue::retain(void* object, void (*release)(void*) noexcept) {
    command* last = core_->ring.last_open();
    if (last == nullptr || !last->retain({object, release})) open().retain({object, release});
}

void queue::submit() {
    if (worker_.joinable()) core_->require_worker();
    core_->ring.publish();
    if (core_->scheduler == nullptr) core_->run_all();
}

bool queue::ready() const {
    // One command, and more for the references of the longest inline argument list.
    return core_->ring.has_room(4);
}

std::shared_ptr<backends::event> queue::record() {
    command& c = open();
    auto e = std::make_shared<event>(core_, core_->ring.opened());
    c.set_signal(e);
    submit();
    return e;
}

void queue::synchronize() {
    const std::shared_ptr<queue_core> core = core_;  // a command may drop the last reference to this queue
    if (core->runs_on_this_thread()) return;         // its own command is not done yet
    core->wait_for(core->ring.published());
    core->ring.throw_error();
}

}  // namespace quern::cpu
