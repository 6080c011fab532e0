// The scheduler that this build links.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "backends/cpu/scheduler.hpp"

using namespace quern;

namespace {

struct visits {
    explicit visits(std::size_t n) : count(n) {}
    std::vector<std::atomic<int>> count;
    std::atomic<std::uint64_t> longest{0};
};

void visit(void* context, std::uint64_t first, std::uint64_t last) {
    visits& v = *static_cast<visits*>(context);
    std::uint64_t longest = v.longest;
    while (last - first > longest && !v.longest.compare_exchange_weak(longest, last - first)) {}
    for (std::uint64_t i = first; i < last; ++i) ++v.count[i];
}

}  // namespace

TEST_CASE("a schedule covers its range exactly once, in pieces no longer than the grain") {
    for (const std::uint32_t threads : {1u, 2u, 5u}) {
        const auto s = cpu::make_scheduler(threads);
        for (const std::uint64_t grain : {1u, 7u, 1000u}) {
            visits v(997);
            s->run(997, grain, visit, &v);
            CHECK(std::all_of(v.count.begin(), v.count.end(), [](const auto& n) { return n == 1; }));
            CHECK(v.longest <= grain);
        }
    }
}

TEST_CASE("schedules may run at the same time") {
    const auto s = cpu::make_scheduler(3);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                visits v(100);
                s->run(100, 3, visit, &v);
                for (const auto& n : v.count)
                    if (n != 1) ++wrong;
            }
        });
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("an exception of a task reaches the caller, and the scheduler still works") {
    const auto s = cpu::make_scheduler(2);
    const auto fail = [](void*, std::uint64_t first, std::uint64_t) {
        if (first == 5) throw std::runtime_error("task 5");
    };
    CHECK_THROWS_WITH(s->run(10, 1, fail, nullptr), "task 5");
    visits v(10);
    s->run(10, 1, visit, &v);
    CHECK(v.count[9] == 1);
}

TEST_CASE("no more threads come than there are ranges") {
    const auto s = cpu::make_scheduler(8);
    for (int i = 0; i < 200; ++i) {
        visits v(7);
        s->run(7, 7, visit, &v);
    }
    CHECK(s->most_helpers() == 0);
    for (int i = 0; i < 200; ++i) {
        visits v(7);
        s->run(7, 3, visit, &v);  // 3 ranges: the caller and two more
    }
    CHECK(s->most_helpers() <= 2);
}

TEST_CASE("threads help where there is work for them") {
    if (std::thread::hardware_concurrency() < 2) return;
    const auto s = cpu::make_scheduler(2);
    std::atomic<int> inside{0};
    // Each of the two ranges ends when both have begun, or when there is no hope of that.
    const auto meet = [](void* context, std::uint64_t, std::uint64_t) {
        auto& n = *static_cast<std::atomic<int>*>(context);
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        for (++n; n < 2 && std::chrono::steady_clock::now() < patience;) std::this_thread::yield();
    };
    s->run(2, 1, meet, &inside);
    CHECK(s->most_helpers() == 1);
}

TEST_CASE("the number of threads follows the number of ranges") {
    CHECK(cpu::threads_for(1, 1, 8) == 1);
    CHECK(cpu::threads_for(7, 7, 8) == 1);
    CHECK(cpu::threads_for(8, 7, 8) == 2);
    CHECK(cpu::threads_for(7, 3, 8) == 3);
    CHECK(cpu::threads_for(1000, 1, 8) == 8);
}
