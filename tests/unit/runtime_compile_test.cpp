// When kernels are compiled: once for each device and kind of launch, whoever asks.
#include <catch2/catch.hpp>

#include <quern/error.hpp>
#include <quern/kernel.hpp>

#include <filesystem>
#include <optional>
#include <thread>

#include <unistd.h>

#include "tests/unit/fake_runtime.hpp"

using namespace quern;
using test::launch;

TEST_CASE("a kernel is compiled once for each device") {
    test::fake_runtime rt;
    const auto k = test::make_kernel(test::empty_kernel());
    for (int i = 0; i < 3; ++i)
        for (const char* id : {"first:0", "first:1"}) launch(rt.find(id), k, over{4});
    CHECK(rt.first.record.compiled == 2);
}

TEST_CASE("a kernel outlives the devices that it ran on without keeping them open") {
    test::fake_runtime rt;
    const auto k = test::make_kernel(test::empty_kernel());
    std::optional<device> d = rt.find("first:0");
    launch(*d, k, over{4});
    rt.state = {};
    CHECK(rt.first.record.live_queues == 1);
    d.reset();
    CHECK(rt.first.record.live_queues == 0);
    test::fake_runtime other;
    launch(other.find("first:0"), k, over{4});  // compiled anew, not mistaken for the device that is gone
    CHECK(other.first.record.compiled == 1);
}

TEST_CASE("threads that ask at the same time wait for one compilation") {
    test::fake_runtime rt;
    rt.first.record.on_compile = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    const device d = rt.find("first:0");
    const auto k = test::make_kernel(test::empty_kernel());
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([&] { launch(d, k, over{4}); });
    for (std::thread& t : threads) t.join();
    CHECK(rt.first.record.compiled == 1);
    CHECK(rt.first.record.dispatches.size() == 8);
}

TEST_CASE("a dump stays in its folder whatever the kernel's name") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("quern-dump-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder / "inside");
    test::fake_backend backend{"first"};
    backends::backend* const backends[] = {&backend};
    jit::settings s;
    s.dump_dir = folder / "inside";
    const quern_detail::handle state(new quern_detail::runtime_state(std::move(s), backends));
    ir::module m = test::empty_kernel();
    m.name = "../a:b";
    launch(state->find("first:0"), test::make_kernel(std::move(m)), over{4});
    CHECK(std::filesystem::exists(folder / "inside" / "..-a-b.first-0.ir"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("a failed compilation is reported and tried again") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto k = test::make_kernel(test::empty_kernel());
    rt.first.record.on_compile = [] { throw compile_error("refused"); };
    CHECK_THROWS_AS(launch(d, k, over{4}), compile_error);
    CHECK_THROWS_AS(launch(d, k, over{4}), compile_error);
    rt.first.record.on_compile = [] {};
    CHECK_NOTHROW(launch(d, k, over{4}));
    CHECK(rt.first.record.compiled == 3);
}

TEST_CASE("try_launch never compiles, and says why it did not launch") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const queue q = d.make_queue();
    const auto k = test::make_kernel(test::empty_kernel());
    const auto attempt = [&](const launch_shape& s) { return quern_detail::try_launch(q.state(), k.get(), s, nullptr, 0); };
    CHECK(attempt(over{4}) == status::not_ready);
    CHECK(rt.first.record.compiled == 0);
    quern_detail::prepare(k.get(), d.state(), nullptr);
    CHECK(rt.first.record.compiled == 1);
    CHECK(attempt(over{4}) == status::ok);
    CHECK(attempt(over{-4}) == status::failed);
    {
        const std::scoped_lock busy(q.state()->mutex());
        status other{};
        std::thread([&] { other = attempt(over{4}); }).join();
        CHECK(other == status::not_ready);
    }
    CHECK(rt.first.record.dispatches.size() == 1);
}
