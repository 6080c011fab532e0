// The Vulkan device through the public handles.
#include <catch2/catch.hpp>

#include <quern/quern.hpp>

#include <numeric>
#include <vector>

#include "tests/device/vulkan/vulkan_device.hpp"

using namespace quern;
using namespace quern::tests;

TEST_CASE("saxpy on Vulkan gives the host's numbers", "[vulkan]") {
    std::string reason;
    const auto gpu = find_vulkan_device(reason);
    if (!gpu) return skip(reason);
    kernel saxpy{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
        val i = global_id();
        y[i] = a * x[i] + y[i];
    }};
    std::vector<float> xs(1000), ys(1000, 1.0f);
    std::iota(xs.begin(), xs.end(), 0.0f);
    buffer<float> x = gpu->upload(xs), y = gpu->upload(ys);
    gpu->launch(saxpy, over{1000}, y, x, 3.0f);
    const std::vector<float> r = y.download();
    for (std::size_t i = 0; i < r.size(); ++i) REQUIRE(r[i] == 3.0f * static_cast<float>(i) + 1.0f);
}

TEST_CASE("100 000 workgroups in one dimension just run on Vulkan", "[vulkan]") {
    std::string reason;
    const auto gpu = find_vulkan_device(reason);
    if (!gpu) return skip(reason);
    kernel mark{"mark", [](out<unsigned> y, out<unsigned> counts) {
        workgroup_size(4);
        y[global_id()] = workgroup_id() + 1u;
        if_(global_id() == 0u, [&] { counts[0u] = workgroup_count(); });
    }};
    constexpr unsigned groups_in_x = 100'000;
    buffer<unsigned> y = gpu->make_buffer<unsigned>(groups_in_x * 4), counts = gpu->make_buffer<unsigned>(1);
    gpu->launch(mark, groups{groups_in_x}, y, counts);
    const std::vector<unsigned> r = y.download();
    for (std::size_t i = 0; i < r.size(); ++i) REQUIRE(r[i] == i / 4 + 1);
    CHECK(counts.download()[0] == groups_in_x);
}
