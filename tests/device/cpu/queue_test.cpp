// The CPU device through the public handles: asynchrony, order, lifetimes, allocation, threads.
#include <catch2/catch.hpp>

#include <quern/quern.hpp>

#include <atomic>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/device/cpu/allocation_counter.hpp"

#ifdef __linux__
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace quern;
using Catch::Matchers::Contains;

namespace {

kernel add_one{"add_one", [](inout<unsigned> x) {
    val i = global_id();
    x[i] = x[i] + 1u;
}};

/// Some tenths of a second of steps that no compiler can take together.
kernel slow{"slow", [](inout<unsigned> x, val<unsigned> steps) {
    val i = global_id();
    var v = x[i];
    for_(range(0u, steps), [&](val<unsigned>) { v = (v ^ (v >> 7u)) * 1664525u + 1013904223u; });
    x[i] = v;
}};

constexpr unsigned slow_steps = 100'000'000;

}  // namespace

TEST_CASE("launch returns before a long kernel has finished") {
    const device d = device::find("cpu");
    const auto x = d.make_buffer<unsigned>(1);
    slow.prepare(d);
    const queue q = d.make_queue();
    q.launch(slow, over{1}, x, slow_steps);
    const event e = q.record();
    CHECK_FALSE(e.done());
    e.wait();
    CHECK(e.done());
    CHECK(x.download()[0] != 0);
}

TEST_CASE("a queue works in order, and events order queues") {
    const device d = device::find("cpu");
    const queue a = d.make_queue(), b = d.make_queue();
    const auto x = d.make_buffer<unsigned>(1000), y = d.make_buffer<unsigned>(1000);
    a.launch(slow, over{1}, d.make_buffer<unsigned>(1), slow_steps);
    for (int i = 0; i < 10; ++i) a.launch(add_one, over{1000}, x);
    b.wait(a.record());
    b.copy(x, y);
    b.launch(add_one, over{1000}, y);
    CHECK(y.download() == std::vector<unsigned>(1000, 11));
}

TEST_CASE("events carry device times") {
    const device d = device::find("cpu");
    const queue q = d.make_queue();
    const event before = q.record();
    q.launch(slow, over{1}, d.make_buffer<unsigned>(1), slow_steps / 10);
    const event after = q.record();
    CHECK(after.elapsed_ms(before) > 1);
    CHECK(before.elapsed_ms(after) < -1);
}

TEST_CASE("buffers, kernels and queues may be dropped while their work is queued") {
    const device d = device::find("cpu");
    std::vector<unsigned> host(4, 1);
    {
        const kernel local{"local", [](inout<unsigned> x) {
            val i = global_id();
            x[i] = x[i] + 5u;
        }};
        const queue q = d.make_queue();
        const auto busy = d.make_buffer<unsigned>(1);
        q.launch(slow, over{1}, busy, slow_steps / 10);
        const auto x = d.upload(host);
        q.launch(local, over{4}, x);
        q.download(x, host);
    }
    CHECK(host == std::vector<unsigned>(4, 6));
}

TEST_CASE("the device may be dropped while its last work is queued") {
    std::optional<runtime> rt;
    rt.emplace();
    std::optional<device> d = rt->cpu({.threads = 2});
    d->launch(slow, over{1}, d->make_buffer<unsigned>(1), slow_steps / 10);
    rt.reset();
    d.reset();
    SUCCEED("nothing hung");
}

TEST_CASE("without threads a launch is finished on return") {
    const device d = device::cpu({.threads = 0});
    std::vector<unsigned> host(3, 1);
    d.launch(add_one, over{3}, d.wrap(host));
    CHECK(host == std::vector<unsigned>(3, 2));
    CHECK(d == device::cpu({.threads = 0}));
    CHECK_FALSE(d == device::cpu());
    CHECK(device::cpu() == device::find("cpu"));
}

TEST_CASE("who waits first does the work, and work that nobody waits for is done as well") {
    const device d = device::find("cpu");
    const auto x = d.make_buffer<unsigned>(1);
    for (unsigned i = 1; i <= 1000; ++i) {
        const queue q = d.make_queue();
        q.launch(add_one, over{1}, x);
        const event e = q.record();
        if (i % 3 == 0) e.wait();
        if (i % 3 == 1) q.synchronize();
        if (i % 3 == 2)
            while (!e.done()) std::this_thread::yield();
        CHECK(e.done());
    }
    CHECK(x.download()[0] == 1000);
}

TEST_CASE("threads that wait for one queue share its work in order") {
    const device d = device::find("cpu");
    const queue q = d.make_queue();
    const auto x = d.make_buffer<unsigned>(1);
    std::atomic<int> early{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                q.launch(add_one, over{1}, x);
                const event e = q.record();
                e.wait();
                if (!e.done()) ++early;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(early == 0);
    CHECK(x.download()[0] == 2000);
}

TEST_CASE("large fills, copies and downloads are whole") {
    const device d = device::find("cpu");
    constexpr std::size_t size = (3u << 20) + 12'345;  // floats: several parts, the last one short
    std::vector<float> host(size);
    std::iota(host.begin(), host.end(), 0.f);
    const auto x = d.upload(host), y = d.make_buffer<float>(size);
    CHECK(y.download() == std::vector<float>(size, 0.f));
    const queue q = d.make_queue();
    q.copy(x, y);
    q.synchronize();
    CHECK(y.download() == host);
}

TEST_CASE("a full queue waits for room") {
    const device d = device::find("cpu");
    const queue q = d.make_queue();
    const auto x = d.make_buffer<unsigned>(1);
    q.launch(slow, over{1}, d.make_buffer<unsigned>(1), slow_steps / 10);
    for (int i = 0; i < 5000; ++i) q.launch(add_one, over{1}, x);
    CHECK(x.download()[0] == 5000);
}

TEST_CASE("a warm launch allocates nothing") {
    for (const device& d : {device::find("cpu"), device::cpu({.threads = 0})}) {
        const auto x = d.make_buffer<unsigned>(100);
        const queue q = d.make_queue();
        const prepared p = add_one.prepare(d);
        for (int i = 0; i < 3; ++i) d.launch(add_one, over{100}, x);
        q.launch(add_one, over{100}, x);
        d.synchronize();
        q.synchronize();
        const test::allocation_counter counter;
        for (int i = 0; i < 100; ++i) {
            d.launch(add_one, over{100}, x);
            q.launch(add_one, over{100}, x);
            p.launch(q, over{100}, x);
            q.synchronize();
        }
        CHECK(counter.count == 0);
        { const std::vector<int> seen(1); }
        CHECK(counter.count == 1);
    }
}

TEST_CASE("a million launches leave nothing behind") {
    const auto launch_and_drop = [](const device& d, unsigned launches) {
        const queue q = d.make_queue();
        const auto x = d.make_buffer<unsigned>(1);
        for (unsigned i = 0; i < launches; ++i) q.launch(add_one, over{1}, x);
        return x.download()[0];
    };
    for (const device& d : {device::find("cpu"), device::cpu({.threads = 0})}) {
        launch_and_drop(d, 10);
        const long long before = test::allocations_alive();
        const unsigned done = launch_and_drop(d, 500'000);
        CHECK(test::allocations_alive() < before + 1000);  // threads of other tests may be ending still
        CHECK(done == 500'000);
    }
}

TEST_CASE("try_launch launches what is prepared and refuses what is not") {
    const device d = device::find("cpu");
    const queue q = d.make_queue();
    const auto x = d.make_buffer<unsigned>(8);
    const kernel fresh{"fresh", [](inout<unsigned> y) { y[global_id()] = 3u; }};
    const prepared p = fresh.prepare(d);
    CHECK(p.try_launch(q, groups{1}, x) == status::not_ready);
    CHECK(p.try_launch(q, over{8}, x) == status::ok);
    CHECK(p.try_launch(q, over{8}, buffer<unsigned>()) == status::failed);
    CHECK(x.download() == std::vector<unsigned>(8, 3));
    // Behind a long kernel the ring fills up; then it says so instead of waiting.
    q.launch(slow, over{1}, d.make_buffer<unsigned>(1), slow_steps);
    int launched = 0;
    while (launched < 100'000 && p.try_launch(q, over{8}, x) == status::ok) ++launched;
    CHECK(launched < 100'000);
    q.synchronize();
    CHECK(p.try_launch(q, over{8}, x) == status::ok);
}

TEST_CASE("16 threads launch one kernel object 10 000 times each") {
    const device d = device::find("cpu");
    const auto shared_counter = d.make_buffer<unsigned>(1);
    const kernel fresh{"fresh", [](inout<unsigned> counter) { atomic_add(counter[0], 1u); }};
    std::atomic<int> failures{0};
    const auto launch_all = [&](bool on_own_queue) {
        try {
            const queue own = d.make_queue();
            for (int i = 0; i < 10'000; ++i) {
                if (on_own_queue) own.launch(fresh, over{1}, shared_counter);
                else d.launch(fresh, over{1}, shared_counter);
            }
        } catch (const error&) {
            ++failures;
        }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t) threads.emplace_back(launch_all, t % 2 == 0);
    for (std::thread& t : threads) t.join();
    CHECK(failures == 0);
    CHECK(shared_counter.download()[0] == 160'000);
}

TEST_CASE("a buffer above the memory budget is a device error and the device still works") {
    const device d = device::find("cpu");
    CHECK_THROWS_AS(d.make_buffer<float>(d.info().memory_bytes), device_error);
    CHECK_THROWS_AS(d.make_buffer<float>(std::size_t{1} << 50), device_error);
    const auto x = d.make_buffer<unsigned>(4);
    d.launch(add_one, over{4}, x);
    CHECK(x.download() == std::vector<unsigned>(4, 1));
}

TEST_CASE("launching, uploading and downloading inside a kernel's body are usage errors") {
    const device d = device::find("cpu");
    const auto x = d.make_buffer<unsigned>(4);
    const auto message = [&](auto call) {
        const kernel k{"outer", [&](inout<unsigned>) { call(); }};
        try {
            d.launch(k, over{4}, x);
        } catch (const usage_error& e) {
            return std::string(e.what());
        }
        return std::string("nothing was thrown");
    };
    CHECK_THAT(message([&] { d.launch(add_one, over{4}, x); }), Contains("launch inside a kernel's body"));
    CHECK_THAT(message([&] { x.download(); }), Contains("download inside a kernel's body"));
    CHECK_THAT(message([&] { x.upload(std::vector<unsigned>(4)); }), Contains("upload inside a kernel's body"));
    CHECK_NOTHROW(d.launch(add_one, over{4}, x));
}

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("the child of a fork is told that the device's threads are not there, and may open a device of its own") {
    const runtime parent({.read_environment = false});
    const device d = parent.find("cpu");
    const auto x = d.make_buffer<unsigned>(4);
    d.launch(add_one, over{4}, x);
    d.synchronize();
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        int failures = 0;
        try {
            d.launch(add_one, over{4}, x);
            ++failures;
        } catch (const device_error& e) {
            if (std::string(e.what()).find("forked") == std::string::npos) ++failures;
        }
        const runtime own({.read_environment = false});
        const auto y = own.find("cpu").make_buffer<unsigned>(4);
        own.find("cpu").launch(add_one, over{4}, y);
        if (y.download() != std::vector<unsigned>(4, 1)) ++failures;
        _exit(failures);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    d.launch(add_one, over{4}, x);
    CHECK(x.download() == std::vector<unsigned>(4, 2));
}
#endif

TEST_CASE("kernels run under the default floating-point environment and leave the caller's alone") {
    const device d = device::cpu({.threads = 0});
    const kernel halve{"halve", [](inout<float> x) {
        val i = global_id();
        x[i] = x[i] * 0.5f;
    }};
    const auto x = d.upload({1.17549435e-38f});
    halve.prepare(d);
    std::vector<float> result;
#if defined(__x86_64__)
    const unsigned before = __builtin_ia32_stmxcsr();
    const unsigned flushing = before | 0x8040u;  // flush-to-zero and denormals-are-zero
    __builtin_ia32_ldmxcsr(flushing);
    d.launch(halve, over{1}, x);
    const unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    CHECK(after == flushing);
#else
    d.launch(halve, over{1}, x);
#endif
    CHECK(x.download()[0] == 5.87747175e-39f);
}

TEST_CASE("rows, planes and odd sizes are covered exactly once") {
    const device d = device::find("cpu");
    const kernel mark{"mark", [](inout<unsigned> x, val<unsigned> nx, val<unsigned> ny) {
        val i = global_id<3>();
        val at = (i.z() * ny + i.y()) * nx + i.x();
        x[at] = x[at] + 1u;
    }};
    for (const auto& [nx, ny, nz] : {std::tuple{1u, 1u, 1u}, {7u, 5u, 3u}, {1000u, 33u, 2u}, {3u, 4000u, 1u}, {100'003u, 1u, 1u}}) {
        const auto x = d.make_buffer<unsigned>(nx * ny * nz + 16);
        d.launch(mark, over{nx, ny, nz}, x, nx, ny);
        std::vector<unsigned> expected(nx * ny * nz, 1);
        expected.resize(expected.size() + 16, 0);
        CHECK(x.download() == expected);
    }
}

TEST_CASE("saxpy of the documentation") {
    kernel saxpy{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
        val i = global_id();
        y[i] = a * x[i] + y[i];
    }};
    const int n = 1000;
    std::vector<float> xs(n), ys(n, 1.f), expected(n);
    std::iota(xs.begin(), xs.end(), 0.f);
    for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = 3.f * static_cast<float>(i) + 1.f;
    device cpu = device::best();
    buffer<float> x = cpu.upload(xs), y = cpu.upload(ys);
    cpu.launch(saxpy, over{n}, y, x, 3.0f);
    CHECK(y.download() == expected);
    CHECK_THAT(saxpy.inspect(cpu).ir, Contains("saxpy"));
    const artifact a = saxpy.compile_for("cpu:znver4");
    CHECK(a.format == "elf");
    CHECK(a.bytes.size() > 64);
    CHECK_THROWS_AS(saxpy.compile_for("abacus"), usage_error);
}
