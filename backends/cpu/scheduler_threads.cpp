#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/cpu/scheduler.hpp"

namespace quern::cpu {
namespace {

/// One call of run, on its caller's stack. `next`, `seats` and `helpers` are guarded by the pool's mutex.
struct job {
    std::uint64_t count;
    std::uint64_t grain;
    scheduler::task_function task;
    void* context;
    std::uint32_t seats;  ///< for helpers that have not come yet
    std::uint64_t next = 0;
    std::uint32_t helpers = 0;
    std::exception_ptr error;
};

class thread_scheduler final : public scheduler {
public:
    explicit thread_scheduler(std::uint32_t threads) {
        threads_.reserve(threads - 1);
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
        const std::uint32_t pool = static_cast<std::uint32_t>(threads_.size());
        const std::uint32_t size = threads_for(count, grain, pool + 1);
        if (size < 2) return run_here(count, grain, task, context);
        job j{.count = count, .grain = grain, .task = task, .context = context, .seats = size - 1, .error = nullptr};
        std::unique_lock lock(mutex_);
        jobs_.push_back(&j);
        for (std::uint32_t i = 0; i < j.seats; ++i) wake_.notify_one();
        work_on(j, lock);
        done_.wait(lock, [&] { return j.helpers == 0; });
        if (j.error) std::rethrow_exception(j.error);
    }

    std::uint32_t most_helpers() const override {
        const std::scoped_lock lock(mutex_);
        return most_helpers_;
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
            auto found = jobs_.end();
            const auto has_seat = [](const job* j) { return j->seats != 0; };
            wake_.wait(lock, [&] {
                found = std::find_if(jobs_.begin(), jobs_.end(), has_seat);
                return stops_ || found != jobs_.end();
            });
            if (stops_) return;
            job& j = **found;
            --j.seats;
            most_helpers_ = std::max(most_helpers_, ++j.helpers);
            work_on(j, lock);
            if (--j.helpers == 0) done_.notify_all();
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::vector<job*> jobs_;
    std::vector<std::thread> threads_;
    std::uint32_t most_helpers_ = 0;
    bool stops_ = false;
};

}  // namespace

std::unique_ptr<scheduler> make_scheduler(std::uint32_t threads) { return std::make_unique<thread_scheduler>(threads); }

}  // namespace quern::cpu
