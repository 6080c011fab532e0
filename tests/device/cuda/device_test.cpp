// A CUDA device through the public handles; every test skips without one.
#include <catch2/catch.hpp>

#include <quern/cuda.hpp>
#include <quern/quern.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "backends/cuda/driver.hpp"
#include "tests/device/cuda/support.hpp"

using namespace quern;
using quern::tests::cuda_device;
using Catch::Matchers::Contains;

namespace {

kernel saxpy{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
    val i = global_id();
    y[i] = a * x[i] + y[i];
}};

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
constexpr unsigned slow_steps = 20'000'000;

kernel mark_2d{"mark_2d", [](inout<unsigned> out, val<unsigned> width) {
    out[global_id<2>().y() * width + global_id<2>().x()] = global_id<2>().y() * 7u + global_id<2>().x();
}};

kernel far_write{"far_write", [](inout<unsigned> x, val<unsigned> where) { x[global_id() + where] = 1u; }};

kernel sum_large_tile{"sum_large_tile", [](inout<float> out, in<float> x) {
    workgroup_size(256);
    shared<float> tile(40 * 1024);  // 160 KiB
    val me = local_id();
    for_(range(me, 40960u, 256u), [&](val<uint> i) { tile[i] = x[i]; });
    barrier();
    var sum = 0.f;
    for_(range(me, 40960u, 256u), [&](val<uint> i) { sum += tile[40959u - i]; });
    out[global_id()] = sum;
}};

const cuda::driver& driver() {
    std::string reason;
    return *cuda::driver::find(reason);
}

}  // namespace

TEST_CASE("saxpy on CUDA gives what the host gives, at sizes around a block", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    for (const std::size_t n : {1u, 255u, 256u, 257u, 1'000'003u}) {
        std::vector<float> x(n), y(n, 1.0f);
        std::iota(x.begin(), x.end(), 0.0f);
        const auto xs = gpu->upload(x), ys = gpu->upload(y);
        gpu->launch(saxpy, over{n}, ys, xs, 2.0f);
        const std::vector<float> r = ys.download();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += r[i] != 2.0f * x[i] + 1.0f;
        CHECK(wrong == 0);
    }
}

TEST_CASE("A grid larger than CUDA's limits along y is launched in parts", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    // 2 wide blocks hold 2 × 128: 20 000 000 rows are 156 250 of them, more than 65 535.
    const std::size_t height = 20'000'000;
    const auto out = gpu->make_buffer<unsigned>(2 * height);
    gpu->launch(mark_2d, over{2, height}, out, 2u);
    const std::vector<unsigned> r = out.download();
    std::size_t wrong = 0;
    for (std::size_t y = 0; y < height; ++y) wrong += r[2 * y] != static_cast<unsigned>(y * 7) || r[2 * y + 1] != static_cast<unsigned>(y * 7 + 1);
    CHECK(wrong == 0);
}

TEST_CASE("Shared memory above 48 KB works", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    if (gpu->info().shared_memory_bytes < 40960 * sizeof(float)) return;
    std::vector<float> x(40960);
    std::iota(x.begin(), x.end(), 0.0f);
    const auto out = gpu->make_buffer<float>(256), xs = gpu->upload(x);
    gpu->launch(sum_large_tile, groups{1}, out, xs);
    const std::vector<float> r = out.download();
    // Thread m sums 40959 - (m + 256 k) for k in 0..159: 160 * (40959 - m) - 256 * 12720.
    CHECK(r[0] == 3297120.0f);
    CHECK(r[255] == 3297120.0f - 160 * 255);
}

TEST_CASE("A CUDA launch returns before a long kernel has finished, and events order queues", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const auto x = gpu->make_buffer<unsigned>(1), y = gpu->make_buffer<unsigned>(1);
    slow.prepare(*gpu);
    const queue a = gpu->make_queue(), b = gpu->make_queue();
    const event before = a.record();
    a.launch(slow, over{1}, x, slow_steps);
    const event e = a.record();
    CHECK_FALSE(e.done());
    b.wait(e);
    b.copy(x, y);
    b.synchronize();
    CHECK(e.done());
    CHECK(y.download()[0] != 0);
    CHECK(e.elapsed_ms(before) > 10.0);
    CHECK(e.elapsed_ms(before) < 10'000.0);
    CHECK(before.elapsed_ms(e) == Approx(-e.elapsed_ms(before)));
}

TEST_CASE("Events are timed exactly across the marks that the clock sets", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const queue q = gpu->make_queue();
    const event first = q.record();
    q.synchronize();
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2300));
    const event last = q.record();
    last.wait();
    const double host_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    CHECK(last.elapsed_ms(first) == Approx(host_ms).margin(20.0));
}

TEST_CASE("What queued work uses lives until it is done, without any wait", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const auto kept = gpu->make_buffer<unsigned>(1024);
    for (int i = 0; i < 3000; ++i) {
        const auto dropped = gpu->make_buffer<unsigned>(1024);
        gpu->launch(add_one, over{1024}, dropped);
        gpu->launch(add_one, over{1024}, kept);
    }
    CHECK(kept.download() == std::vector<unsigned>(1024, 3000u));
}

TEST_CASE("Uploads of any size arrive, and are read before they return", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const queue q = gpu->make_queue();
    for (const std::size_t n : {1u, 3u, 1000u, 1u << 20, (9u << 20) + 5}) {
        std::vector<unsigned> host(n);
        std::iota(host.begin(), host.end(), 1u);
        const std::vector<unsigned> expected = host;
        const auto b = gpu->make_buffer<unsigned>(n);
        q.upload(b, host);
        std::ranges::fill(host, 0u);
        std::vector<unsigned> back(n);
        q.download(b, std::span(back));
        q.synchronize();
        CHECK(back == expected);
    }
    const auto many = gpu->make_buffer<unsigned>(10'000);
    for (unsigned i = 0; i < 10'000; ++i) q.upload(many.view(i, 1), {i});
    q.synchronize();
    std::vector<unsigned> expected(10'000);
    std::iota(expected.begin(), expected.end(), 0u);
    CHECK(many.download() == expected);
}

TEST_CASE("Pinned buffers are written by kernels and read by the host in place", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const auto b = gpu->make_buffer<unsigned>(1000, memory::host_visible);
    gpu->launch(add_one, over{1000}, b);
    gpu->launch(add_one, over{1000}, b);
    CHECK(std::ranges::all_of(b.mapped(), [](unsigned x) { return x == 2; }));
}

TEST_CASE("A buffer that no GPU can hold is a device_error, and the device still works", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    CHECK_THROWS_WITH(gpu->make_buffer<float>(std::size_t{1} << 42), Contains("out of memory") && Contains("are free"));
    const auto b = gpu->make_buffer<unsigned>(10);
    gpu->launch(add_one, over{10}, b);
    CHECK(b.download() == std::vector<unsigned>(10, 1u));
}

TEST_CASE("Somebody else's context, stream and memory are used in place", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const cuda::driver& call = driver();
    REQUIRE(call.context_push(static_cast<cuda::context_handle>(gpu->native_handle())) == 0);
    cuda::stream_handle stream = nullptr;
    cuda::device_pointer memory = 0;
    REQUIRE(call.stream_create(&stream, 1) == 0);
    REQUIRE(call.allocate(&memory, 4096) == 0);
    REQUIRE(call.fill(memory, 0, 4096, stream) == 0);
    {
        const device adopted = adopt_cuda_context(gpu->native_handle());
        CHECK(adopted.name() == gpu->name());
        const queue q = adopt_cuda_stream(adopted, stream);
        const auto b = adopt_cuda_buffer<unsigned>(adopted, memory, 1024);
        CHECK(b.native_handle() == memory);
        q.launch(add_one, over{1024}, b);
        q.launch(add_one, over{1024}, b);
        std::vector<unsigned> host(1024);
        REQUIRE(call.download(host.data(), memory, 4096, stream) == 0);
        REQUIRE(call.stream_synchronize(stream) == 0);
        CHECK(host == std::vector<unsigned>(1024, 2u));
        CHECK_THROWS_WITH(adopt_cuda_buffer<float4>(adopted, memory + 4, 1), Contains("not a multiple of 16"));
        CHECK_THROWS_WITH(adopt_cuda_buffer<float>(device::find("cpu"), memory, 1), Contains("cpu is no CUDA device"));
        CHECK_THROWS_AS(adopt_cuda_context(nullptr), usage_error);
    }
    CHECK(call.free(memory) == 0);
    CHECK(call.stream_destroy(stream) == 0);
    cuda::context_handle popped = nullptr;
    call.context_pop(&popped);
}

TEST_CASE("The thread's own CUDA context is current again after every call", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    cuda::context_handle before = nullptr, after = nullptr;
    driver().context_current(&before);
    const auto b = gpu->make_buffer<unsigned>(10);
    gpu->launch(add_one, over{10}, b);
    gpu->synchronize();
    driver().context_current(&after);
    CHECK(before == after);
}

TEST_CASE("The stages of a kernel on CUDA can be read", "[cuda]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const inspection i = saxpy.inspect(*gpu);
    CHECK_THAT(i.cuda, Contains("extern \"C\" __global__") && Contains("y[i] =") && Contains("device_test.cpp"));
    CHECK_THAT(i.ptx, Contains(".entry saxpy("));
}

// The context is lost afterwards: this test runs in a process of its own, by its tag.
TEST_CASE("An illegal address is a device_error that names the kernel, and stays one", "[.cuda-fault]") {
    const auto gpu = cuda_device();
    if (!gpu) return;
    const auto b = gpu->make_buffer<unsigned>(16);
    gpu->launch(far_write, over{16}, b, 0xf000'0000u);
    CHECK_THROWS_WITH(gpu->synchronize(), Contains("CUDA_ERROR_ILLEGAL_ADDRESS") && Contains("kernel \"far_write\"") &&
                                              Contains("unusable in this process"));
    CHECK_THROWS_AS(b.download(), device_error);
    CHECK_THROWS_AS(gpu->make_buffer<unsigned>(16), device_error);
}
