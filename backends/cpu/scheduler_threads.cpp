#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/cpu/scheduler.hpp"

namespace quern::cpu {
namespace {

/// One call of run, on its caller's stack. `next` and `helpers` are guarded by the pool's mutex.
struct job {
    std::uint64_t count;
    std::uint64_t grain;
    scheduler::task_function task;
    void* context;
    std::uint64_t next = 0;
    std::uint32_t helpers = 0;
    std::exception_ptr error;
};

class thread_scheduler final : public scheduler {
public:
    explicit thread_scheduler(std::uint32_t threads) {
        for (std::uint32_t i = 1; i < threads; ++i) threads_.emplace_back([this] { help(); });
    }

    ~thread_scheduler() override {
        {
            const std::scoped_lock lock(mutex_);
            stops_ = true;
        }
        wake_.notify_all();
        for (std::thread& t : threads_) t.join();
    }

    void run(std::uint64_t count, std::uint64_t grain, task_function task, void* context) override {
        job j{.count = count, .grain = grain, .task = task, .context = context, .error = nullptr};
        std::unique_lock lock(mutex_);
        jobs_.push_back(&j);
        if (count > grain) wake_.notify_all();
        work_on(j, lock);
        done_.wait(lock, [&] { return j.helpers == 0; });
        if (j.error) std::rethrow_exception(j.error);
    }

private:
    /// Takes ranges of a job until none is left, then takes the job off the list.
    void work_on(job& j, std::unique_lock<std::mutex>& lock) {
        while (j.next < j.count) {
            const std::uint64_t first = j.next;
            const std::uint64_t last = j.next = first + std::min(j.grain, j.count - first);
            lock.unlock();
            std::exception_ptr error;
            try {
                j.task(j.context, first, last);
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            if (error && !j.error) {
                j.error = error;
                j.next = j.count;
            }
        }
        std::erase(jobs_, &j);
    }

    void help() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stops_ || !jobs_.empty(); });
            if (stops_) return;
            job& j = *jobs_.front();
            ++j.helpers;
            work_on(j, lock);
            if (--j.helpers == 0) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::vector<job*> jobs_;
    std::vector<std::thread> threads_;
    bool stops_ = false;
};

}  // namespace

std::unique_ptr<scheduler> make_scheduler(std::uint32_t threads) { return std::make_unique<thread_scheduler>(threads); }

}  // namespace quern::cpu
