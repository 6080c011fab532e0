// Spreads one dispatch over threads. Two implementations, of which the build links one: oneTBB, and a plain pool of
// std::thread for the thread sanitizer, which does not understand TBB.
#pragma once

#include <cstdint>
#include <memory>

namespace quern::cpu {

class scheduler {
public:
    using task_function = void (*)(void* context, std::uint64_t first, std::uint64_t last);

    virtual ~scheduler() = default;
    /// Calls task on disjoint ranges that make up [0, count), each at most `grain` long, on several threads, and
    /// returns when all are done; rethrows the first exception. May be called from several threads at once.
    virtual void run(std::uint64_t count, std::uint64_t grain, task_function task, void* context) = 0;
};

/// At most `threads` threads at a time, the caller included; threads >= 1.
std::unique_ptr<scheduler> make_scheduler(std::uint32_t threads);

}  // namespace quern::cpu
