#include "backends/cuda/reclaimer.hpp"

#include <algorithm>
#include <chrono>

#include "backends/cuda/context.hpp"

namespace quern::cuda {

retained_work::retained_work(std::shared_ptr<context> c, stream_handle s) : context_(std::move(c)), stream_(s) {}

retained_work::~retained_work() {
    drop_until(added());
    const current_context now(*context_);
    for (const mark& m : marks_)
        if (m.event != nullptr) context_->call().event_destroy(m.event);
}

bool retained_work::has_room(std::uint32_t entries) const {
    return added() - dropped_.load(std::memory_order_acquire) + entries <= capacity;
}

void retained_work::add(void* object, void (*release)(void*) noexcept) {
    if (!has_room(1)) {
        sweep();
        if (!has_room(1)) {
            const std::uint64_t end = added();
            context_->call().stream_synchronize(stream_);  // an error shows at the next wait
            drop_until(end);
        }
    }
    const std::uint64_t n = added_.load(std::memory_order_relaxed);
    entries_[n % capacity] = {object, release};
    added_.store(n + 1, std::memory_order_release);
}

void retained_work::set_mark(std::uint64_t end) {
    if (next_mark_ - first_mark_ == most_marks || end == marked_end_) return;
    mark& m = marks_[next_mark_ % most_marks];
    if (m.event == nullptr && context_->call().event_create(&m.event, event_without_timing) != 0) return;
    if (context_->call().event_record(m.event, stream_) != 0) return;
    m.end = marked_end_ = end;
    ++next_mark_;
}

void retained_work::mark_if_due() {
    const std::uint64_t n = added_.load(std::memory_order_relaxed);
    if (n - due_ < mark_every) return;
    const std::unique_lock lock(marks_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    due_ = n;
    set_mark(n);
}

std::uint64_t retained_work::find_finished() {
    const std::scoped_lock lock(marks_mutex_);
    std::uint64_t end = dropped_.load(std::memory_order_acquire);
    while (first_mark_ != next_mark_) {
        const mark& m = marks_[first_mark_ % most_marks];
        // An error means that the context is lost: nothing runs any more.
        if (failed_with(context_->call().event_query(m.event), code::not_ready)) break;
        end = std::max(end, m.end);
        ++first_mark_;
    }
    if (first_mark_ == next_mark_) set_mark(added());
    return end;
}

void retained_work::sweep() {
    const current_context now(*context_);
    drop_until(find_finished());
}

void retained_work::drop_until(std::uint64_t end) {
    std::array<entry, 64> dropped;
    for (std::size_t count = 1; count != 0;) {
        count = 0;
        {
            const std::scoped_lock lock(drop_mutex_);
            std::uint64_t n = dropped_.load(std::memory_order_relaxed);
            while (n < end && count < dropped.size()) dropped[count++] = entries_[n++ % capacity];
            dropped_.store(n, std::memory_order_release);
        }
        // Outside the lock: a reference may be the last one of anything.
        for (std::size_t i = 0; i < count; ++i) dropped[i].release(dropped[i].object);
    }
}

reclaimer::reclaimer() = default;

reclaimer::~reclaimer() {
    {
        const std::scoped_lock lock(state_->mutex);
        state_->is_stopped = true;
    }
    state_->stopping.notify_all();
    state_->is_busy.store(true);
    state_->is_busy.notify_all();
    if (!thread_.joinable()) return;
    // The thread itself gets here if it dropped the device's last reference: it keeps the state.
    if (thread_.get_id() == std::this_thread::get_id()) thread_.detach();
    else thread_.join();
}

void reclaimer::list(const std::shared_ptr<retained_work>& w) {
    std::call_once(started_, [this] { thread_ = std::thread(run, state_); });
    const std::scoped_lock lock(state_->mutex);
    std::erase_if(state_->works, [](const auto& listed) { return listed.expired(); });
    state_->works.push_back(w);
}

void reclaimer::wake() noexcept {
    if (state_->is_busy.load(std::memory_order_relaxed)) return;
    if (!state_->is_busy.exchange(true)) state_->is_busy.notify_one();
}

void reclaimer::sweep() { state_->sweep(); }

/// True while something is left.
bool reclaimer::shared_state::sweep() {
    std::vector<std::shared_ptr<retained_work>> alive;
    {
        const std::scoped_lock lock(mutex);
        for (const auto& w : works)
            if (auto locked = w.lock()) alive.push_back(std::move(locked));
    }
    bool is_left = false;
    for (const auto& w : alive) {
        w->sweep();
        is_left = is_left || !w->is_empty();
    }
    return is_left;
}

void reclaimer::run(const std::shared_ptr<shared_state> s) {
    using namespace std::chrono_literals;
    for (;;) {
        s->is_busy.wait(false);
        {
            std::unique_lock lock(s->mutex);
            s->stopping.wait_for(lock, 20ms, [&] { return s->is_stopped; });
            if (s->is_stopped) return;
        }
        if (s->sweep()) continue;
        s->is_busy.store(false);
        if (s->sweep()) s->is_busy.store(true);  // added in between, by somebody who saw us busy
    }
}

}  // namespace quern::cuda
