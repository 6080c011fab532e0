// Generated CUDA C++ through NVRTC, without a GPU: everything compiles for every architecture, and the code is what it
// should be.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include <quern/quern.hpp>

#include "backends/cuda/nvrtc.hpp"
#include "backends/registry.hpp"
#include "tests/conformance/cell_kernel.hpp"
#include "tests/conformance/memory_kernel.hpp"
#include "tests/device/cuda/support.hpp"
#include "tests/support/folders.hpp"

using namespace quern;
using namespace quern::tests;
using Catch::Matchers::Contains;

namespace {

using enum ir::scalar_kind;
constexpr std::array every_kind{boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64};

std::vector<std::string> architectures() {
    std::string reason;
    std::vector<std::string> names;
    for (const int a : cuda::nvrtc::find(reason)->architectures()) names.push_back(fmt::format("sm_{}", a));
    return names;
}

/// Empty if it compiles to a cubin that fits a block of the GPU.
std::string complaint(const ir::module& m, const std::string& target) {
    backends::backend& b = *backends::find("cuda");
    try {
        const cubin_facts f = read_cubin(b.compile(m, b.find_target(target), {}));
        if (f.machine != 190) return fmt::format("machine {}", f.machine);
        if (f.registers == 0 || f.registers > 255) return fmt::format("{} registers", f.registers);
        return {};
    } catch (const compile_error& e) {
        return fmt::format("{}\n{}\n{}", e.what(), e.log(), e.source());
    }
}

/// Families of one operand kind as one kernel, so that the compiler starts less often; ops that exchange lanes stand
/// apart. Components of vectors are computed like scalars, so that elementwise ops are there once.
std::vector<family> merged_families() {
    std::map<std::pair<ir::scalar_kind, bool>, family> merged;
    for (const family& f : value_families(every_kind)) {
        const bool exchanges = ir::info(f.front().op).effect == ir::effect::convergent;
        family& all = merged[{f.front().operand.kind, exchanges}];
        std::ranges::copy_if(f, std::back_inserter(all), [](const fuzz::cell& c) {
            const ir::operand_rule rule = ir::info(c.op).operands;
            const bool is_elementwise = rule == ir::operand_rule::floating || rule == ir::operand_rule::arithmetic ||
                                        rule == ir::operand_rule::integral || rule == ir::operand_rule::conversion;
            return c.operand.width == 1 || !is_elementwise;
        });
    }
    std::vector<family> families;
    for (auto& [key, f] : merged) families.push_back(std::move(f));
    return families;
}

std::string read(const std::filesystem::path& path) {
    std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

kernel by_capability{"by_capability", [](inout<unsigned> x) {
    val i = global_id();
    if (target().compute_capability >= 90) x[i] = x[i] * 3u;
    else x[i] = x[i] ^ 0x1234567u;
}};

}  // namespace

TEST_CASE("Every conformance kernel compiles to machine code of one GPU", "[cuda][nvrtc]") {
    if (!has_nvrtc()) return;
    std::size_t count = 0;
    for (const family& f : value_families(every_kind)) {
        const bool exchanges = ir::info(f.front().op).effect == ir::effect::convergent;
        const cell_kernel k = make_cell_kernel(f, exchanges ? 20 : 64);
        const std::string text = complaint(k.kernel->m, "sm_90");
        if (!text.empty()) FAIL_CHECK(fuzz::to_string(f.front()) << ": " << text);
        ++count;
    }
    WARN(count << " kernels compiled");
    CHECK(count > 500);
}

TEST_CASE("Every operation, kind of memory, atomic and position compiles for every architecture", "[cuda][nvrtc]") {
    if (!has_nvrtc()) return;
    std::vector<memory_kernel> others = make_position_kernels();
    const auto add = [&](std::vector<memory_kernel> more) {
        std::ranges::move(more, std::back_inserter(others));
    };
    const std::size_t positions = others.size();
    for (const ir::scalar_kind k : every_kind) add(make_memory_kernels({k, 3}));
    for (const fuzz::cell& c : fuzz::enumerate_cells(every_kind))
        if (ir::info(c.op).effect == ir::effect::atomic) add(make_atomic_kernels(c.op, c.operand.kind));
    for (const ir::op code : {ir::op::atomic_add, ir::op::atomic_min, ir::op::atomic_max, ir::op::atomic_exchange})
        for (const ir::scalar_kind k : {f32, f64}) add(make_atomic_kernels(code, k));
    for (const std::string& target : architectures()) {
        std::size_t count = 0;
        for (const family& f : merged_families()) {
            const std::string text = complaint(make_cell_kernel(f, 64).kernel->m, target);
            if (!text.empty()) FAIL_CHECK(target << ": " << text);
            ++count;
        }
        // The text of memory and atomics is the same for all: the oldest and the newest architecture tell.
        const bool is_end = target == architectures().front() || target == architectures().back();
        for (std::size_t i = 0; i < (is_end ? others.size() : positions); ++i) {
            const std::string text = complaint(others[i].kernel->m, target);
            if (!text.empty()) FAIL_CHECK(target << ": " << others[i].name << ": " << text);
            ++count;
        }
        CHECK(count > (is_end ? 100u : 25u));
    }
}

TEST_CASE("Every example compiles for every architecture", "[cuda][nvrtc]") {
    if (!has_nvrtc()) return;
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_folder() + "/tests/golden")) {
        if (entry.path().extension() != ".qir") continue;
        for (const std::string& target : architectures()) {
            const backends::artifact code = compile_for(read(entry.path()), target);
            const cubin_facts f = read_cubin(code);
            INFO(entry.path().filename().string() << " for " << target);
            CHECK(code.format == "cubin");
            CHECK(f.machine == 190);
            CHECK(f.registers > 0);
            CHECK(f.entry == entry.path().stem().string());
            ++count;
        }
    }
    CHECK(count >= 7 * architectures().size());
}

TEST_CASE("A kernel that asks for the compute capability differs between architectures", "[cuda][nvrtc]") {
    if (!has_nvrtc()) return;
    const artifact older = by_capability.compile_for("sm_80"), newer = by_capability.compile_for("sm_90");
    CHECK(older.format == "cubin");
    const auto holds = [](const artifact& a, std::uint32_t word) {
        std::array<std::byte, 4> bytes;
        std::memcpy(bytes.data(), &word, 4);
        return std::ranges::search(a.bytes, bytes).begin() != a.bytes.end();
    };
    CHECK(holds(older, 0x1234567));  // the immediate of its LOP3
    CHECK_FALSE(holds(newer, 0x1234567));
}

TEST_CASE("saxpy in CUDA C++ is what one would write", "[cuda][nvrtc]") {
    const std::string text = cuda_source(read(tests::source_folder() + "/tests/golden/saxpy.qir"));
    CHECK(text == R"(typedef unsigned int uint;

extern "C" __global__ void __launch_bounds__(256)
saxpy(float* __restrict__ y, const float* __restrict__ x, const float a, uint extent_x) {
    const uint global_x = blockIdx.x * 256u + threadIdx.x;
    if (global_x >= extent_x) return;
#line 6 "<qir>"
    const uint i = global_x;
    const float v0 = __ldg(&x[i]);
    const float v1 = y[i];
    const float v2 = a * v0;
    const float v3 = v2 + v1;
    y[i] = v3;
}
)");
}

TEST_CASE("Vectors move in as wide words as their alignment allows", "[cuda][nvrtc]") {
    const std::string copy = R"(kernel "copy" over math contract {{
  buffer out %y: {0}
  buffer in %x: {0}

  %i = global_id.x : u32
  %v = load %x[%i] : {0}
  store %y[%i], %v
}}
)";
    const auto text = [&](std::string_view type) { return cuda_source(fmt::format(fmt::runtime(copy), type)); };
    CHECK_THAT(text("vec4<f32>"), Contains("read_only<uint4>(&x[i])") && Contains("wide_store<uint4>(&y[i], v)"));
    CHECK_THAT(text("vec2<f32>"), Contains("read_only<uint2>(&x[i])") && Contains("wide_store<uint2>(&y[i], v)"));
    CHECK_THAT(text("vec4<f16>"), Contains("read_only<uint2>(&x[i])"));
    CHECK_THAT(text("vec3<f32>"), Contains("read_only<unsigned int>(&x[i])") && Contains("y[i] = v;"));
    CHECK_THAT(text("struct<16, 4>{@0 p: vec3<f32>, @12 m: f32}"), Contains("read_only<uint4>(&x[i])"));
}

TEST_CASE("More than 48 KB of shared memory is dynamic", "[cuda][nvrtc]") {
    const auto source = [](unsigned floats) {
        return fmt::format(R"(kernel "k" groups workgroup 64 1 1 math contract cooperative {{
  buffer out %y: f32
  shared %tile: array<f32, {}>

  %i = local_id.x : u32
  store %tile[%i], 1.0f32
  barrier
  %v = load %tile[%i] : f32
  store %y[%i], %v
}}
)", floats);
    };
    CHECK_THAT(cuda_source(source(12288)), Contains("__shared__ __align__(16) array<float, 12288> tile;"));
    CHECK_THAT(cuda_source(source(12289)), Contains("extern __shared__") && Contains("(shared_memory + 0)"));
    if (!has_nvrtc()) return;
    CHECK(read_cubin(compile_for(source(12288), "sm_90")).shared_bytes >= 49152);
    CHECK(read_cubin(compile_for(source(12289), "sm_90")).shared_bytes < 49152);
}

TEST_CASE("Names of CUDA and C++ are left to them", "[cuda][nvrtc]") {
    const std::string text = cuda_source(R"(kernel "main" over math contract {
  buffer out %float: f32
  value %threadIdx: f32

  %if = global_id.x : u32
  %sinf = sin %threadIdx : f32
  store %float[%if], %sinf
}
)");
    CHECK_THAT(text, Contains("main_(float* __restrict__ float_, const float threadIdx_, uint extent_x)"));
    CHECK_THAT(text, Contains("const float sinf_ = sinf(threadIdx_);") && Contains("float_[if_] = sinf_;"));
    if (has_nvrtc()) CHECK(read_cubin(compile_for(R"(kernel "main" over math contract {
  buffer out %float: f32

  %if = global_id.x : u32
  store %float[%if], 1.0f32
}
)", "sm_80")).entry == "main_");
}

TEST_CASE("An architecture that NVRTC does not know is PTX of the newest one before it, or refused", "[cuda][nvrtc]") {
    if (!has_nvrtc()) return;
    const std::string saxpy = read(tests::source_folder() + "/tests/golden/saxpy.qir");
    const backends::artifact newer = compile_for(saxpy, "sm_999");
    CHECK(newer.format == "ptx");
    CHECK_THAT(std::string(reinterpret_cast<const char*>(newer.bytes.data())),
               Contains(fmt::format(".target {}", architectures().back())) && Contains(".entry saxpy("));
    CHECK_THROWS_WITH(compile_for(saxpy, "sm_50"), Contains("makes no code for sm_50"));
}

TEST_CASE("What is no architecture is no target of CUDA's", "[cuda][nvrtc]") {
    backends::backend& b = *backends::find("cuda");
    for (const char* name : {"sm_90", "cuda:sm_90", "sm_90a", "sm_100f"}) CHECK_FALSE(b.find_target(name).info.name.empty());
    for (const char* name : {"sm_", "sm_9", "sm_90b", "sm_9000", "sm_-90", "compute_90", "90", ""}) CHECK(b.find_target(name).info.name.empty());
    CHECK(b.find_target("sm_90").info.compute_capability == 90);
    CHECK(b.find_target("sm_90").info.shared_memory_bytes == 227 * 1024);
    CHECK(b.find_target("sm_86").info.shared_memory_bytes == 99 * 1024);
}
