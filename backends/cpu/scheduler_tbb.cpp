#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "backends/cpu/scheduler.hpp"

namespace quern::cpu {
namespace {

/// Keeps the largest number of TBB's threads that were in an arena at a time.
class helper_counter final : public tbb::task_scheduler_observer {
public:
    helper_counter(tbb::task_arena& arena, std::atomic<std::uint32_t>& most)
        : tbb::task_scheduler_observer(arena), most_(most) {
        observe(true);
    }
    ~helper_counter() override { observe(false); }
    void on_scheduler_entry(bool is_worker) override {
        if (!is_worker) return;
        const std::uint32_t now = inside_.fetch_add(1, std::memory_order_relaxed) + 1;
        std::uint32_t most = most_.load(std::memory_order_relaxed);
        while (now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {}
    }
    void on_scheduler_exit(bool is_worker) override {
        if (is_worker) inside_.fetch_sub(1, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint32_t> inside_{0};
    std::atomic<std::uint32_t>& most_;
};

class tbb_scheduler final : public scheduler {
public:
    /// TBB has no more threads than the hardware, and prints a warning when asked for more. Work in an arena wakes as
    /// many threads as the arena holds, so there is one of each size; an arena costs nothing before its first use.
    explicit tbb_scheduler(std::uint32_t threads)
        : threads_(std::min(threads, static_cast<std::uint32_t>(tbb::info::default_concurrency()))) {
        for (std::uint32_t size = 2; size <= threads_; ++size) arenas_.emplace_back(size, most_helpers_);
    }

    void run(std::uint64_t count, std::uint64_t grain, task_function task, void* context) override {
        const std::uint32_t size = threads_for(count, grain, threads_);
        if (size < 2) return run_here(count, grain, task, context);
        arenas_[size - 2].arena.execute([&] {
            tbb::parallel_for(
                tbb::blocked_range<std::uint64_t>(0, count, grain),
                [&](const tbb::blocked_range<std::uint64_t>& r) { task(context, r.begin(), r.end()); },
                tbb::simple_partitioner());
        });
    }

    std::uint32_t most_helpers() const override { return most_helpers_.load(std::memory_order_relaxed); }

private:
    struct sized_arena {
        sized_arena(std::uint32_t size, std::atomic<std::uint32_t>& most_helpers)
            : arena(static_cast<int>(size)), counter(arena, most_helpers) {}
        tbb::task_arena arena;
        helper_counter counter;
    };

    const std::uint32_t threads_;
    std::atomic<std::uint32_t> most_helpers_{0};
    std::deque<sized_arena> arenas_;  ///< of 2, 3 … threads
};

}  // namespace

std::unique_ptr<scheduler> make_scheduler(std::uint32_t threads) { return std::make_unique<tbb_scheduler>(threads); }

}  // namespace quern::cpu
