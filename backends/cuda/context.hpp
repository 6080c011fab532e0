// One CUDA context as everything of a device shares it: which GPU, whose context, what broke it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/driver.hpp"

namespace quern::cuda {

class reclaimer;

/// Kernels that were launched lately, to name one when the device reports an error. Writing never waits.
class recent_kernels {
public:
    void note(const std::string* kernel_name) noexcept {
        const std::uint32_t n = count_.load(std::memory_order_relaxed);
        names_[n % capacity].store(kernel_name, std::memory_order_relaxed);
        count_.store(n + 1, std::memory_order_release);
    }
    /// All work so far ended well.
    void forget() noexcept { forgotten_.store(count_.load(std::memory_order_acquire), std::memory_order_relaxed); }
    /// `kernel "a"`, or `one of the kernels "a", "b"`, or empty.
    std::string describe() const;

private:
    static constexpr std::uint32_t capacity = 8;
    std::atomic<const std::string*> names_[capacity]{};
    std::atomic<std::uint32_t> count_{0}, forgotten_{0};
};

class context {
public:
    /// The primary context of a GPU, shared with CUDA's runtime library.
    context(const driver& d, int ordinal);
    /// Somebody else's.
    context(const driver& d, context_handle adopted);
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    ~context();

    const driver& call() const { return call_; }
    context_handle handle() const { return handle_; }
    int device() const { return device_; }
    const std::string& id() const { return id_; }
    reclaimer& pool() const { return *reclaimer_; }

    /// Throws device_error unless the code is success; sticky ones are remembered and repeated from then on.
    void check(int error, std::string_view call, const recent_kernels* running = nullptr);
    bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }

    /// Events with timing, made once and used again.
    event_handle take_event();
    void give_event(event_handle e) noexcept;

    /// Device time in nanoseconds of a finished event since some start, exact over hours: the driver's own clock is a
    /// float of milliseconds between two events, so marks are set every second.
    struct mark;
    std::shared_ptr<mark> mark_for(stream_handle s);
    std::uint64_t time_ns(const std::shared_ptr<mark>& before, event_handle e);

private:
    const driver& call_;
    context_handle handle_ = nullptr;
    int device_ = 0;
    bool is_primary_ = false;
    std::string id_;
    std::unique_ptr<reclaimer> reclaimer_;

    std::atomic<bool> is_lost_{false};
    std::mutex mutex_;
    std::string lost_;  ///< the first sticky error
    std::vector<event_handle> events_;
    std::shared_ptr<mark> last_mark_;
};

/// Makes a context current on this thread, and whatever was current before at its end.
class current_context {
public:
    explicit current_context(const context& c) : call_(c.call()) {
        context_handle now = nullptr;
        if (call_.context_current(&now) == 0 && now == c.handle()) return;
        is_pushed_ = call_.context_push(c.handle()) == 0;
    }
    current_context(const current_context&) = delete;
    current_context& operator=(const current_context&) = delete;
    ~current_context() {
        context_handle popped = nullptr;
        if (is_pushed_) call_.context_pop(&popped);
    }

private:
    const driver& call_;
    bool is_pushed_ = false;
};

}  // namespace quern::cuda
