#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "backends/cpu/scheduler.hpp"

namespace quern::cpu {
namespace {

class tbb_scheduler final : public scheduler {
public:
    /// TBB has no more threads than the hardware, and prints a warning when asked for more.
    explicit tbb_scheduler(std::uint32_t threads)
        : arena_(std::min(static_cast<int>(threads), tbb::info::default_concurrency())) {}

    void run(std::uint64_t count, std::uint64_t grain, task_function task, void* context) override {
        arena_.execute([&] {
            tbb::parallel_for(
                tbb::blocked_range<std::uint64_t>(0, count, grain),
                [&](const tbb::blocked_range<std::uint64_t>& r) { task(context, r.begin(), r.end()); },
                tbb::simple_partitioner());
        });
    }

private:
    tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<scheduler> make_scheduler(std::uint32_t threads) { return std::make_unique<tbb_scheduler>(threads); }

}  // namespace quern::cpu
