// When references that queued work holds may be dropped. CUDA has no cheap callback for it: a queue lists them in a ring
// and sets an event now and then; a thread of the device's sweeps what these events have passed, while there is any.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/cuda/driver.hpp"

namespace quern::cuda {

class context;

/// The references of one queue's work. One thread at a time adds, any thread may sweep.
class retained_work {
public:
    retained_work(std::shared_ptr<context> c, stream_handle s);
    retained_work(const retained_work&) = delete;
    retained_work& operator=(const retained_work&) = delete;
    /// All work must have ended.
    ~retained_work();

    /// Waits for the device when it is full.
    void add(void* object, void (*release)(void*) noexcept);
    /// Sets an event if enough was added since the last one.
    void mark_if_due();
    bool has_room(std::uint32_t entries) const;

    /// Drops what is finished. Sets an event behind what has none yet.
    void sweep();
    /// Drops all that was added before `end`, when the caller knows that its work has ended.
    void drop_until(std::uint64_t end);
    std::uint64_t added() const { return added_.load(std::memory_order_acquire); }
    bool is_empty() const { return dropped_.load(std::memory_order_acquire) == added(); }

private:
    struct entry {
        void* object;
        void (*release)(void*) noexcept;
    };
    struct mark {
        std::uint64_t end = 0;  ///< reached when the work of all entries before it has ended
        event_handle event = nullptr;
    };
    static constexpr std::uint64_t capacity = 4096, mark_every = 256, most_marks = 64;

    void set_mark(std::uint64_t end);
    std::uint64_t find_finished();

    const std::shared_ptr<context> context_;
    const stream_handle stream_;
    std::unique_ptr<entry[]> entries_ = std::make_unique<entry[]>(capacity);
    std::atomic<std::uint64_t> added_{0}, dropped_{0};
    std::mutex marks_mutex_;
    std::array<mark, most_marks> marks_;
    std::uint64_t first_mark_ = 0, next_mark_ = 0, marked_end_ = 0;
    std::uint64_t due_ = 0;  ///< of who adds: entries at the last mark
    std::mutex drop_mutex_;
};

/// The thread of a device that sweeps its queues' retained work; sleeps while there is none.
class reclaimer {
public:
    reclaimer();
    reclaimer(const reclaimer&) = delete;
    reclaimer& operator=(const reclaimer&) = delete;
    ~reclaimer();

    void list(const std::shared_ptr<retained_work>& w);
    /// Something was added. Takes no lock.
    void wake() noexcept;
    void sweep();

private:
    struct shared_state {
        std::mutex mutex;
        std::condition_variable stopping;
        bool is_stopped = false;
        std::atomic<bool> is_busy{false};
        std::vector<std::weak_ptr<retained_work>> works;

        bool sweep();
    };
    static void run(const std::shared_ptr<shared_state> s);

    std::shared_ptr<shared_state> state_ = std::make_shared<shared_state>();
    std::thread thread_;
    std::once_flag started_;
};

}  // namespace quern::cuda
