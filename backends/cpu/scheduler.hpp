// Spreads one dispatch over threads. Two implementations, of which the build links one: oneTBB, and a plain pool of
// std::thread for the thread sanitizer, which does not understand TBB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace quern::cpu {

class scheduler {
public:
    using task_function = void (*)(void* context, std::uint64_t first, std::uint64_t last);

    virtual ~scheduler() = default;
    /// Calls task on disjoint ranges that make up [0, count), each at most `grain` long, on the caller and on as many
    /// other threads as there are further ranges, and returns when all are done; rethrows the first exception. May be
    /// called from several threads at once.
    virtual void run(std::uint64_t count, std::uint64_t grain, task_function task, void* context) = 0;
    /// The most threads beside the caller that have been in one run so far, with something to do or without.
    virtual std::uint32_t most_helpers() const = 0;
};

/// Threads that have something to do in run(count, grain), the caller among them.
constexpr std::uint32_t threads_for(std::uint64_t count, std::uint64_t grain, std::uint32_t threads) {
    const std::uint64_t ranges = count / grain + (count % grain != 0);
    return ranges < threads ? static_cast<std::uint32_t>(ranges) : threads;
}

/// run() on the caller alone.
inline void run_here(std::uint64_t count, std::uint64_t grain, scheduler::task_function task, void* context) {
    for (std::uint64_t first = 0, last; first < count; first = last)
        task(context, first, last = first + std::min(grain, count - first));
}

/// At most `threads` threads at a time, the caller included; threads >= 1.
std::unique_ptr<scheduler> make_scheduler(std::uint32_t threads);

}  // namespace quern::cpu
