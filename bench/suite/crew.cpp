#include "crew.hpp"

#include <algorithm>
#include <chrono>

namespace bench {
namespace {

/// Waits for a change: some time awake, because the next round usually comes soon, then asleep.
template <class T>
void wait_while(const std::atomic<T>& a, T old) {
    const auto start = std::chrono::steady_clock::now();
    while (a.load(std::memory_order_acquire) == old)
        if (std::chrono::steady_clock::now() - start > std::chrono::microseconds(50)) a.wait(old, std::memory_order_acquire);
}

}  // namespace

crew::crew(std::size_t threads) {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this] { help(); });
}

crew::~crew() {
    stops_ = true;
    ++round_;
    round_.notify_all();
    for (std::thread& t : threads_) t.join();
}

void crew::share(std::size_t n, std::size_t grain, function f, const void* body) {
    function_ = f;
    body_ = body;
    n_ = n;
    grain_ = grain;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(threads_.size(), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_pieces();
    for (std::size_t busy; (busy = busy_.load(std::memory_order_acquire)) != 0;) wait_while(busy_, busy);
}

void crew::take_pieces() {
    for (std::size_t first; (first = next_.fetch_add(grain_, std::memory_order_relaxed)) < n_;)
        function_(body_, first, std::min(first + grain_, n_));
}

void crew::help() {
    for (unsigned seen = 0;; ++seen) {
        wait_while(round_, seen);
        if (stops_) return;
        take_pieces();
        busy_.fetch_sub(1, std::memory_order_release);
        busy_.notify_one();
    }
}

}  // namespace bench
