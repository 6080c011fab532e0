// Buffers over memory that the host can and cannot reach.
#include <catch2/catch.hpp>

#include <quern/error.hpp>

#include "tests/unit/fake_runtime.hpp"

using namespace quern;
using Catch::Matchers::Contains;
using test::argument;
using test::launch;
using test::message_of;

TEST_CASE("what was uploaded is downloaded, whether or not the host reaches the memory") {
    test::fake_runtime rt;
    for (const char* id : {"first:0", "first:1"}) {
        const device d = rt.find(id);
        const int array[] = {1, 2, 3};
        CHECK(d.upload(array).download() == std::vector<int>{1, 2, 3});
        CHECK(d.upload({0.5, 1.5}).download() == std::vector<double>{0.5, 1.5});
        const auto b = d.make_buffer<int>(4);
        CHECK(b.download() == std::vector<int>{0, 0, 0, 0});
        b.view(1, 2).upload(std::vector<int>{7, 8});
        CHECK(b.download() == std::vector<int>{0, 7, 8, 0});
        std::vector<int> part(3);
        b.view(1, 3).download(part);
        CHECK(part == std::vector<int>{7, 8, 0});
    }
}

TEST_CASE("only uninitialised memory skips the zeros") {
    test::fake_runtime rt;
    for (const char* id : {"first:0", "first:1"}) {
        const device d = rt.find(id);
        CHECK(d.make_buffer<unsigned char>(2).download() == std::vector<unsigned char>{0, 0});
        CHECK(d.make_buffer<unsigned char>(2, memory::uninitialised).download() ==
              std::vector<unsigned char>{0xaa, 0xaa});
    }
}

TEST_CASE("bools are bytes to the host") {
    test::fake_runtime rt;
    const auto b = rt.find("first:0").make_buffer<bool>(3);
    b.upload(std::vector<unsigned char>{1, 0, 1});
    CHECK(b.download() == std::vector<unsigned char>{1, 0, 1});
    const bool flags[] = {false, true, true};
    b.upload(flags);
    CHECK(b.download() == std::vector<unsigned char>{0, 1, 1});
}

TEST_CASE("host_visible memory is mapped, device memory only where the host reaches it") {
    test::fake_runtime rt;
    const device remote = rt.find("first:1");
    const auto b = remote.make_buffer<int>(4, memory::uninitialised | memory::host_visible);
    b.view(1, 2).mapped()[0] = 5;
    CHECK(b.download()[1] == 5);
    CHECK_THAT(message_of<usage_error>([&] { remote.make_buffer<int>(4).mapped(); }), Contains("host_visible"));
    CHECK(rt.find("first:0").make_buffer<int>(4).mapped().size() == 4);
}

TEST_CASE("wrapped host memory is used in place, where the device can") {
    test::fake_runtime rt;
    std::vector<int> host{1, 2, 3};
    const auto b = rt.find("first:0").wrap(host);
    b.view(2, 1).upload(std::vector<int>{9});
    CHECK(host == std::vector<int>{1, 2, 9});
    CHECK_THROWS_AS(rt.find("first:1").wrap(host), usage_error);
}

TEST_CASE("a view past the end is a usage error") {
    test::fake_runtime rt;
    const auto b = rt.find("first:0").make_buffer<int>(4);
    CHECK(b.view(4, 0).size() == 0);
    CHECK(b.view(1, 3).view(1, 2).size() == 2);
    CHECK_THROWS_AS(b.view(1, 3).view(1, 3), usage_error);
    CHECK_THROWS_AS(b.view(5, 0), usage_error);
    CHECK_THAT(message_of<usage_error>([&] { b.view(2, 3); }), Contains("view(2, 3)") && Contains("4 elements"));
    const int negative = -1;
    CHECK_THAT(message_of<usage_error>([&] { b.view(negative, 1); }), Contains("view(-1, 1)"));
}

TEST_CASE("elements may be listed where they are uploaded") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    const auto b = d.make_buffer<float>(3);
    b.upload({1, 2, 3});
    CHECK(b.download() == std::vector<float>{1, 2, 3});
    const queue q = d.make_queue();
    q.upload(b, {4, 5, 6});
    q.synchronize();
    CHECK(b.download() == std::vector<float>{4, 5, 6});
    CHECK_THROWS_AS(b.upload({1, 2}), usage_error);
}

TEST_CASE("host ranges of another size are refused") {
    test::fake_runtime rt;
    const auto b = rt.find("first:0").make_buffer<int>(4);
    CHECK_THROWS_AS(b.upload(std::vector<int>(3)), usage_error);
    std::vector<int> five(5);
    CHECK_THROWS_AS(b.download(five), usage_error);
}

TEST_CASE("a buffer above the budget is a device error and the device still works") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    CHECK_THROWS_AS(d.make_buffer<char>((1 << 20) + 1), device_error);
    CHECK_THROWS_AS(d.make_buffer<double>(~std::size_t{0} / 4), device_error);
    const int negative = -1;
    CHECK_THROWS_AS(d.make_buffer<char>(negative), usage_error);
    CHECK(d.make_buffer<char>(1 << 20).size() == 1 << 20);
}

TEST_CASE("memory lives until the last handle and the last queued work are gone") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    m.parameters = {test::buffer_parameter(m, ir::access::write)};
    auto k = test::make_kernel(std::move(m));
    rt.first.record.holds_work = true;
    {
        const auto b = d.make_buffer<float>(4).view(1, 2);
        launch(d, k, over{2}, {argument(b)});
        CHECK(rt.first.record.live_memories == 1);
    }
    k = {};
    CHECK(rt.first.record.live_memories == 1);
    d.synchronize();
    CHECK(rt.first.record.live_memories == 0);
}

TEST_CASE("asynchronous errors surface at the next wait, once") {
    test::fake_runtime rt;
    const device d = rt.find("first:0");
    ir::module m = test::empty_kernel();
    m.parameters = {test::buffer_parameter(m, ir::access::write)};
    const auto k = test::make_kernel(std::move(m));
    const auto used = d.make_buffer<float>(4), other = d.make_buffer<float>(4);
    rt.first.record.failure = "kernel fake: lost";
    launch(d, k, over{4}, {argument(used)});
    CHECK_NOTHROW(other.download());
    CHECK_THAT(message_of<device_error>([&] { used.download(); }), Contains("fake"));
    CHECK_NOTHROW(used.download());
}

TEST_CASE("copies stay on one device, between equal sizes that do not overlap") {
    test::fake_runtime rt;
    const device d = rt.find("first:1");
    const queue q = d.make_queue();
    const auto from = d.upload({1, 2, 3}), to = d.make_buffer<int>(3);
    q.copy(from, to);
    CHECK(to.download() == std::vector<int>{1, 2, 3});
    CHECK_THROWS_AS(q.copy(from, to.view(0, 2)), usage_error);
    CHECK_THROWS_AS(q.copy(from.view(0, 2), from.view(1, 2)), usage_error);
    CHECK_THROWS_AS(q.copy(from, rt.find("first:0").make_buffer<int>(3)), usage_error);
    q.upload(to, std::vector<int>{4, 5, 6});
    std::vector<int> host(3);
    q.download(to, host);
    q.synchronize();
    CHECK(host == std::vector<int>{4, 5, 6});
}
