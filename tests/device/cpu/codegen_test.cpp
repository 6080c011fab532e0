// The code generator alone, through its C table: kernels written as .qir, run without the runtime, compared with plain
// loops; and what the machine code must look like.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "backends/cpu/codegen_module.hpp"
#include "backends/cpu/import_table.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "tests/support/folders.hpp"

namespace {

using namespace quern;

struct stages {
    std::map<std::uint32_t, std::string> text;
    int result = 0;
    const std::string& error() const { return text.at(0); }
    const std::string& object() const { return text.at(quern_cpu_stage_object); }
};

void keep(void* context, std::uint32_t stage, const void* data, std::size_t size) {
    static_cast<stages*>(context)->text[stage] = std::string(static_cast<const char*>(data), size);
}

stages compile(const std::string& qir, std::uint32_t lanes, std::uint32_t wanted = quern_cpu_stage_object,
               const char* cpu = nullptr, std::uint32_t debug = 0, std::uint32_t vectors = 0) {
    const ir::module m = ir::parse(qir);
    ir::validate(m);
    const std::vector<std::byte> bytes = ir::to_bytes(ir::canonicalise(m), ir::side_tables::include);
    const quern_cpu_request request{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), cpu, nullptr, lanes, vectors, debug, wanted};
    stages s;
    s.result = cpu::codegen_module().compile(&request, keep, &s);
    return s;
}

/// A compiled kernel with its arguments.
class runnable {
public:
    runnable(const std::string& qir, std::uint32_t lanes, std::uint32_t vectors, std::uint32_t debug = 0) {
        const stages s = compile(qir, lanes, quern_cpu_stage_object, nullptr, debug, vectors);
        if (s.result != 0) FAIL(s.error());
        stages loading;
        handle_ = cpu::codegen_module().load(s.object().data(), s.object().size(), &entry_, keep, &loading);
        if (!handle_) FAIL(loading.error());
        scratch_.resize(1 << 22);
    }
    ~runnable() { cpu::codegen_module().unload(handle_); }
    runnable(const runnable&) = delete;
    runnable& operator=(const runnable&) = delete;

    template <class T>
    runnable& buffer(std::vector<T>& v) {
        return elements(v.data(), v.size());
    }
    runnable& elements(void* first, std::size_t count) {
        buffers_.push_back(first);
        sizes_.push_back(count);
        return *this;
    }
    template <class T>
    runnable& value(T v) {
        values_.resize((values_.size() + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T));
        std::memcpy(values_.data() + values_.size() - sizeof(T), &v, sizeof(T));
        return *this;
    }

    void range(std::uint64_t nx, std::uint64_t ny = 1) {
        quern_cpu_launch l = launch({nx, ny, 1}, {1, 1, 1});
        for (std::uint64_t y = 0; y < ny; ++y) entry_(&l, 0, nx, y, 0, nullptr);
    }
    void groups(std::uint64_t gx, std::uint64_t gy = 1) {
        quern_cpu_launch l = launch({0, 0, 0}, {gx, gy, 1});
        void* aligned = scratch_.data();
        std::size_t space = scratch_.size();
        std::align(64, 1, aligned, space);
        for (std::uint64_t y = 0; y < gy; ++y) entry_(&l, 0, gx, y, 0, aligned);
    }

private:
    quern_cpu_launch launch(std::array<std::uint64_t, 3> extent, std::array<std::uint64_t, 3> groups) {
        quern_cpu_launch l{buffers_.data(), sizes_.data(), values_.data(), {}, {}, cpu::imports()};
        std::copy(extent.begin(), extent.end(), l.extent);
        std::copy(groups.begin(), groups.end(), l.groups);
        return l;
    }

    quern_cpu_entry entry_ = nullptr;
    void* handle_ = nullptr;
    std::vector<const void*> buffers_;
    std::vector<std::uint64_t> sizes_;
    alignas(16) std::vector<std::byte> values_;
    std::vector<std::byte> scratch_;
};

constexpr std::uint32_t widths[] = {4, 8, 16};

/// Of the loop over lanes.
struct step {
    std::uint32_t lanes, vectors;
};
constexpr step steps_of_lanes[] = {{4, 1}, {4, 2}, {4, 4}, {8, 1}, {8, 2}, {8, 4}, {16, 1}, {16, 2}, {16, 4}};

template <class T>
std::vector<T> iota(std::size_t n, T from = T{}) {
    std::vector<T> v(n);
    std::iota(v.begin(), v.end(), from);
    return v;
}

constexpr const char* saxpy = R"(
kernel "saxpy" over math contract {
  buffer inout %y: f32
  buffer in %x: f32
  value %a: f32
  %i = global_id.x : u32
  %xi = load %x[%i] : f32
  %yi = load %y[%i] : f32
  %p = mul %a, %xi : f32
  %s = add %p, %yi : f32
  store %y[%i], %s
}
)";

constexpr const char* stencil = R"(
kernel "stencil" over math contract {
  buffer out %y: f32
  buffer in %x: f32
  value %n: u32
  %i = global_id.x : u32
  %inner = sub %n, 1u32 : u32
  %low = gt %i, 0u32 : bool
  %high = lt %i, %inner : bool
  %inside = bit_and %low, %high : bool
  if %inside {
    %l = sub %i, 1u32 : u32
    %r = add %i, 1u32 : u32
    %a = load %x[%l] : f32
    %b = load %x[%i] : f32
    %c = load %x[%r] : f32
    %ab = add %a, %b : f32
    %abc = add %ab, %c : f32
    store %y[%i], %abc
  }
}
)";

bool contains(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

TEST_CASE("saxpy is right for every length up to forty at every lane width", "[cpu-codegen]") {
    for (const auto [lanes, vectors] : steps_of_lanes) {
        for (std::size_t n = 0; n <= 40; ++n) {
            std::vector<float> x = iota<float>(n, 1), y = iota<float>(n, 100);
            y.push_back(-7);  // a guard behind the end
            runnable(saxpy, lanes, vectors).buffer(y).buffer(x).value(3.0f).range(n);
            for (std::size_t i = 0; i < n; ++i) REQUIRE(y[i] == 3.0f * static_cast<float>(i + 1) + static_cast<float>(i + 100));
            REQUIRE(y[n] == -7);
        }
    }
}

TEST_CASE("unoptimised code with line tables gives the same results", "[cpu-codegen]") {
    std::vector<float> x = iota<float>(21, 1), y = iota<float>(21, 100);
    runnable(saxpy, 8, 1, 1).buffer(y).buffer(x).value(3.0f).range(21);
    for (std::size_t i = 0; i < 21; ++i) REQUIRE(y[i] == 3.0f * static_cast<float>(i + 1) + static_cast<float>(i + 100));
    const stages s = compile(saxpy, 8, quern_cpu_stage_llvm, nullptr, 1);
    REQUIRE(contains(s.text.at(quern_cpu_stage_llvm), "!DILocation(line: 7"));
}

TEST_CASE("lanes that would read before the first element do not read at all", "[cpu-codegen]") {
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<float> x = iota<float>(37, 1), y(37, -1.f);
        runnable(stencil, lanes, vectors).buffer(y).buffer(x).value(37u).range(37);
        for (std::size_t i = 0; i < 37; ++i)
            REQUIRE(y[i] == (i == 0 || i == 36 ? -1.f : static_cast<float>(3 * (i + 1))));
    }
}

TEST_CASE("saxpy, the blur of the examples and a stencil are packed, without gathers and scatters", "[cpu-codegen]") {
    std::ifstream file(tests::source_folder() + "/tests/golden/blur.qir");
    const std::string blur(std::istreambuf_iterator<char>(file), {});
    for (const std::string& kernel : {std::string(saxpy), std::string(stencil), blur}) {
        const stages s = compile(kernel, 8, quern_cpu_stage_assembly, "x86-64-v3");
        REQUIRE(s.result == 0);
        const std::string& text = s.text.at(quern_cpu_stage_assembly);
        CHECK(contains(text, "ymm"));
        CHECK((contains(text, "vfmadd") || contains(text, "vaddps")));
        CHECK_FALSE(contains(text, "gather"));
        CHECK_FALSE(contains(text, "scatter"));
        CHECK_FALSE(contains(text, "vaddss"));
        CHECK_FALSE(contains(text, "vpinsr"));
    }
    const stages wide = compile(saxpy, 16, quern_cpu_stage_assembly, "x86-64-v4");
    CHECK(contains(wide.text.at(quern_cpu_stage_assembly), "zmm"));
}

TEST_CASE("divergent loops with break, continue and return follow each lane", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "collatz" over math contract {
  buffer out %steps: i32
  buffer inout %rounds: i32
  buffer in %start: u32
  %i = global_id.x : u32
  %s = load %start[%i] : u32
  declare %n: u32
  store %n, %s
  declare %count: i32
  store %count, 0i32
  %zero = eq %s, 0u32 : bool
  if %zero {
    store %steps[%i], -1i32
    return
  }
  while {
    %c0 = load %count : i32
    %more = lt %c0, 60i32 : bool
  } %more {
    %n0 = load %n : u32
    %done = eq %n0, 1u32 : bool
    if %done {
      break
    }
    %c1 = load %count : i32
    %c2 = add %c1, 1i32 : i32
    store %count, %c2
    %r0 = load %rounds[%i] : i32
    %r1 = add %r0, 1i32 : i32
    store %rounds[%i], %r1
    %bit = bit_and %n0, 1u32 : u32
    %even = eq %bit, 0u32 : bool
    if %even {
      %half = shr %n0, 1u32 : u32
      store %n, %half
      continue
    }
    %t = mul %n0, 3u32 : u32
    %t1 = add %t, 1u32 : u32
    store %n, %t1
    %big = gt %t1, 400u32 : bool
    if %big {
      store %steps[%i], -2i32
      return
    }
  }
  %r = load %count : i32
  store %steps[%i], %r
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> start = iota<std::uint32_t>(101);
        std::vector<std::int32_t> steps(101, 99), rounds(101);
        runnable(kernel, lanes, vectors).buffer(steps).buffer(rounds).buffer(start).range(101);
        for (std::uint32_t i = 0; i < 101; ++i) {
            std::int32_t count = 0, expected = 99;
            std::uint32_t n = i;
            if (n == 0) expected = -1;
            while (expected == 99 && count < 60 && n != 1) {
                ++count;
                if (n % 2 == 0) { n /= 2; continue; }
                n = 3 * n + 1;
                if (n > 400) expected = -2;
            }
            REQUIRE(steps[i] == (expected == 99 ? count : expected));
            REQUIRE(rounds[i] == count);  // nobody goes round after its return
        }
    }
}

TEST_CASE("for loops run over varying bounds, with steps that do not wrap at the end of the type", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "loops" over math contract {
  buffer out %y: u32
  value %top: u32
  %i = global_id.x : u32
  declare %sum: u32
  store %sum, 0u32
  for %k1 = %i to 20u32 step 3u32 : u32 {
    %a1 = load %sum : u32
    %b1 = add %a1, %k1 : u32
    store %sum, %b1
  }
  for %k2 = 4294967280u32 to %top step 7u32 : u32 {
    %a2 = load %sum : u32
    %b2 = add %a2, 1000u32 : u32
    store %sum, %b2
  }
  %near = sub 4294967290u32, %i : u32
  for %k3 = %near to %top step 9u32 : u32 {
    %a3 = load %sum : u32
    %b3 = add %a3, 100000u32 : u32
    store %sum, %b3
  }
  %r = load %sum : u32
  store %y[%i], %r
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> y(30);
        runnable(kernel, lanes, vectors).buffer(y).value(0xffff'ffffu).range(30);
        for (std::uint32_t i = 0; i < 30; ++i) {
            std::uint64_t sum = 0;
            for (std::uint64_t k = i; k < 20; k += 3) sum += k;
            for (std::uint64_t k = 4294967280u; k < 0xffff'ffffu; k += 7) sum += 1000;
            for (std::uint64_t k = 4294967290u - i; k < 0xffff'ffffu; k += 9) sum += 100000;
            REQUIRE(y[i] == static_cast<std::uint32_t>(sum));
        }
    }
}

TEST_CASE("division by zero and the smallest number by minus one count the divisor as one, also in lanes that are off", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "divide" over math contract {
  buffer inout %q: i32
  buffer inout %r: i64
  buffer in %a: i32
  buffer in %b: i32
  %i = global_id.x : u32
  %x = load %a[%i] : i32
  %d = load %b[%i] : i32
  %wx = cast %x : i64
  %wd = cast %d : i64
  %on = ne %d, 5i32 : bool
  if %on {
    %n = div %x, %d : i32
    %m = rem %wx, %wd : i64
    store %q[%i], %n
    store %r[%i], %m
  }
}
)";
    constexpr std::int32_t smallest = std::numeric_limits<std::int32_t>::min(), largest = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::int32_t> edges = {0, 1, -1, 2, -2, 3, 5, 7, -7, 46341, largest, largest - 1, smallest, smallest + 1};
    std::vector<std::int32_t> a, b;
    for (std::int32_t x : edges)
        for (std::int32_t d : edges) a.push_back(x), b.push_back(d);
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::int32_t> q(a.size(), 42);
        std::vector<std::int64_t> r(a.size(), 42);
        runnable(kernel, lanes, vectors).buffer(q).buffer(r).buffer(a).buffer(b).range(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            const bool on = b[i] != 5;
            const std::int64_t d = b[i] == 0 || (a[i] == smallest && b[i] == -1) ? 1 : b[i], wide = b[i] == 0 ? 1 : b[i];
            REQUIRE(q[i] == (on ? static_cast<std::int32_t>(a[i] / d) : 42));
            REQUIRE(r[i] == (on ? a[i] % wide : 42));
        }
    }
}

TEST_CASE("gathers, reversed and strided accesses reach their elements", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "access" over math contract {
  buffer out %y: f32
  buffer in %x: f32
  buffer in %at: u32
  value %last: u32
  %i = global_id.x : u32
  %j = load %at[%i] : u32
  %g = load %x[%j] : f32
  %back = sub %last, %i : u32
  %v = load %x[%back] : f32
  %two = mul %i, 2u32 : u32
  %s = load %x[%two] : f32
  %gv = add %g, %v : f32
  %gvs = add %gv, %s : f32
  store %y[%j], %gvs
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        const std::size_t n = 29;
        std::vector<float> x = iota<float>(2 * n, 1), y(n, -1.f);
        std::vector<std::uint32_t> at(n);
        for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<std::uint32_t>((i * 11) % n);
        runnable(kernel, lanes, vectors).buffer(y).buffer(x).buffer(at).value(static_cast<std::uint32_t>(n - 1)).range(n);
        for (std::size_t i = 0; i < n; ++i) REQUIRE(y[at[i]] == x[at[i]] + x[n - 1 - i] + x[2 * i]);
    }
}

TEST_CASE("an index that wraps in the middle of a vector reaches both ends", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "wrapping" over math contract {
  buffer out %y: u32
  buffer out %z: u32
  buffer in %x: u32
  %i = global_id.x : u32
  %j = add %i, 3u32 : u32
  %narrow = cast %j : u8
  %at = cast %narrow : u32
  %v = load %x[%at] : u32
  store %y[%i], %v
  %wide = cast %i : u64
  %far = add %wide, 4294967293u64 : u64
  %back = cast %far : u32
  %inside = lt %back, 600u32 : bool
  if %inside {
    store %z[%back], %i
  }
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        const std::vector<std::uint32_t> x = iota<std::uint32_t>(256, 1000);
        std::vector<std::uint32_t> y(600), z(600), in = x;
        runnable(kernel, lanes, vectors).buffer(y).buffer(z).buffer(in).range(600);
        for (std::size_t i = 0; i < 600; ++i) {
            REQUIRE(y[i] == 1000 + (i + 3) % 256);
            REQUIRE(z[i] == (i < 597 ? i + 3 : 0));
        }
    }
}

TEST_CASE("unsigned indices reach past 2^31 elements", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "far" over math contract {
  buffer inout %y: u8
  buffer in %at: u32
  %i = global_id.x : u32
  %j = add %i, 2147483648u32 : u32
  %old = load %y[%j] : u8
  %new = add %old, 7u8 : u8
  store %y[%j], %new
  %k = load %at[%i] : u32
  store %y[%k], 9u8
}
)";
    const std::size_t n = (std::size_t{1} << 31) + 128;
    for (const auto [lanes, vectors] : steps_of_lanes) {
        // nobody touches the pages between
        const std::unique_ptr<std::uint8_t, void (*)(void*)> y(static_cast<std::uint8_t*>(std::calloc(n, 1)), std::free);
        REQUIRE(y != nullptr);
        std::vector<std::uint32_t> at(40);
        for (std::uint32_t i = 0; i < 40; ++i) at[i] = (1u << 31) + 127 - i * 2;
        runnable(kernel, lanes, vectors).elements(y.get(), n).buffer(at).range(40);
        for (std::size_t i = 0; i < 40; ++i) {
            REQUIRE(y.get()[at[i]] == 9);
            REQUIRE(y.get()[(std::size_t{1} << 31) + i] == 7);
        }
    }
}

TEST_CASE("vectors and structs in memory keep their parts apart", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "parts" over math contract {
  buffer inout %p: vec3<f32>
  buffer inout %q: vec4<f32>
  %i = global_id.x : u32
  %v = load %p[%i] : vec3<f32>
  %w = swizzle %v.zxy : vec3<f32>
  %sum = add %v, %w : vec3<f32>
  store %p[%i], %sum
  %z = load %q[%i].z : f32
  store %q[%i].x, %z
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        const std::size_t n = 21;
        std::vector<float> p = iota<float>(3 * n), q = iota<float>(4 * n);
        const std::vector<float> p0 = p, q0 = q;
        runnable r(kernel, lanes, vectors);
        r.buffer(p).buffer(q).range(n);
        for (std::size_t i = 0; i < n; ++i) {
            const float *v = &p0[3 * i], expected[3] = {v[0] + v[2], v[1] + v[0], v[2] + v[1]};
            for (std::size_t k = 0; k < 3; ++k) REQUIRE(p[3 * i + k] == expected[k]);
            for (std::size_t k = 0; k < 4; ++k) REQUIRE(q[4 * i + k] == q0[4 * i + (k == 0 ? 2 : k)]);
        }
    }
}

TEST_CASE("local arrays take uniform and varying indices", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "local" over math contract {
  buffer out %y: u32
  %i = global_id.x : u32
  declare %a: array<u32, 8>
  for %k = 0u32 to 8u32 step 1u32 : u32 {
    %v = mul %k, %i : u32
    store %a[%k], %v
  }
  %j = bit_and %i, 7u32 : u32
  %odd = bit_and %i, 1u32 : u32
  %is_odd = ne %odd, 0u32 : bool
  if %is_odd {
    store %a[%j], 7777u32
  }
  %b = bit_and %j, 6u32 : u32
  %r = load %a[%j] : u32
  %s = load %a[%b] : u32
  %t = add %r, %s : u32
  store %y[%i], %t
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> y(27);
        runnable(kernel, lanes, vectors).buffer(y).range(27);
        for (std::uint32_t i = 0; i < 27; ++i)
            REQUIRE(y[i] == (i % 2 ? 7777u : (i & 7) * i) + (i & 6) * i);
    }
}

TEST_CASE("a tree reduction with barriers sums workgroups that are no multiple of the lane width", "[cpu-codegen]") {
    for (const std::uint32_t size : {1u, 5u, 13u, 37u, 64u}) {
        const std::string n = std::to_string(size);
        std::uint32_t top = 1;
        while (top < size) top *= 2;
        const std::string kernel = "kernel \"reduce\" groups workgroup " + n + " 1 1 math contract cooperative {\n" + R"(
  buffer in %x: u32
  buffer out %sums: u32
  shared %tile: array<u32, )" + n + R"(>
  %l = local_id.x : u32
  %g = global_id.x : u32
  %v = load %x[%g] : u32
  store %tile[%l], %v
  declare %s: u32
  store %s, )" + std::to_string(top / 2) + R"(u32
  barrier
  while {
    %test = load %s : u32
    %more = gt %test, 0u32 : bool
  } %more {
    %s0 = load %s : u32
    %low = lt %l, %s0 : bool
    %other = add %l, %s0 : u32
    %exists = lt %other, )" + n + R"(u32 : bool
    %on = bit_and %low, %exists : bool
    if %on {
      %a = load %tile[%l] : u32
      %b = load %tile[%other] : u32
      %c = add %a, %b : u32
      store %tile[%l], %c
    }
    barrier
    %half = shr %s0, 1u32 : u32
    store %s, %half
  }
  %first = eq %l, 0u32 : bool
  if %first {
    %w = workgroup_id.x : u32
    %r = load %tile[0u32] : u32
    store %sums[%w], %r
  }
}
)";
        for (const auto [lanes, vectors] : steps_of_lanes) {
            std::vector<std::uint32_t> x = iota<std::uint32_t>(3 * size, 1), sums(3);
            runnable(kernel, lanes, vectors).buffer(x).buffer(sums).groups(3);
            for (std::size_t g = 0; g < 3; ++g)
                REQUIRE(sums[g] == std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(g * size), x.begin() + static_cast<std::ptrdiff_t>((g + 1) * size), 0u));
        }
    }
}

TEST_CASE("values and variables live across barriers in nested uniform loops", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "rotate" groups workgroup 7 3 1 math precise cooperative {
  buffer inout %x: f32
  value %rounds: u32
  shared %tile: array<f32, 21>
  %lx = local_id.x : u32
  %ly = local_id.y : u32
  %row = mul %ly, 7u32 : u32
  %flat = add %row, %lx : u32
  %w = workgroup_id.x : u32
  %base = mul %w, 21u32 : u32
  %at = add %base, %flat : u32
  %start = load %x[%at] : f32
  %root = sqrt %start : f32
  declare %acc: f32
  store %acc, 0.0f32
  for %i = 0u32 to %rounds step 1u32 : u32 {
    %a0 = load %acc : f32
    %a1 = add %a0, %root : f32
    store %tile[%flat], %a1
    barrier
    for %j = 1u32 to 3u32 step 1u32 : u32 {
      %f1 = add %flat, %j : u32
      %from = rem %f1, 21u32 : u32
      %t = load %tile[%from] : f32
      %a2 = load %acc : f32
      %a3 = add %a2, %t : f32
      barrier
      store %tile[%flat], %a3
      store %acc, %a3
      barrier
    }
  }
  %end = load %acc : f32
  %last = add %end, %start : f32
  store %x[%at], %last
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<float> x = iota<float>(42, 1);
        const std::vector<float> x0 = x;
        runnable(kernel, lanes, vectors).buffer(x).value(3u).groups(2);
        for (std::size_t g = 0; g < 2; ++g) {
            std::array<float, 21> tile{}, acc{}, next{};
            const float* in = &x0[21 * g];
            for (int i = 0; i < 3; ++i) {
                for (std::size_t f = 0; f < 21; ++f) tile[f] = acc[f] + std::sqrt(in[f]);
                for (std::size_t j = 1; j < 3; ++j) {
                    for (std::size_t f = 0; f < 21; ++f) next[f] = acc[f] + tile[(f + j) % 21];
                    acc = tile = next;
                }
            }
            for (std::size_t f = 0; f < 21; ++f) REQUIRE(x[21 * g + f] == acc[f] + in[f]);
        }
    }
}

TEST_CASE("a uniform break and a uniform return leave constructs with barriers, a divergent return stays with its lane", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "leave" groups workgroup 11 1 1 math contract cooperative {
  buffer inout %x: u32
  buffer in %limit: u32
  shared %s: array<u32, 11>
  %l = local_id.x : u32
  %g = global_id.x : u32
  %w = workgroup_id.x : u32
  %lim = load %limit[%w] : u32
  %none = eq %lim, 0u32 : bool
  if %none {
    return
  }
  %v = load %x[%g] : u32
  store %s[%l], %v
  for %i = 0u32 to 10u32 step 1u32 : u32 {
    barrier
    %enough = eq %i, %lim : bool
    if %enough {
      break
    }
    %n = add %l, 1u32 : u32
    %m = rem %n, 11u32 : u32
    %t = load %s[%m] : u32
    barrier
    store %s[%l], %t
  }
  %many = gt %lim, 2u32 : bool
  if %many {
    barrier
    %odd = bit_and %l, 1u32 : u32
    %is_odd = eq %odd, 1u32 : bool
    if %is_odd {
      return
    }
  }
  %o = load %s[%l] : u32
  %o1 = add %o, 1000u32 : u32
  store %x[%g], %o1
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> x = iota<std::uint32_t>(55), limit = {0, 2, 3, 9, 1};
        runnable(kernel, lanes, vectors).buffer(x).buffer(limit).groups(5);
        for (std::uint32_t g = 0; g < 5; ++g)
            for (std::uint32_t l = 0; l < 11; ++l) {
                const bool stays = limit[g] == 0 || (limit[g] > 2 && l % 2 == 1);
                REQUIRE(x[g * 11 + l] == (stays ? g * 11 + l : 1000 + g * 11 + (l + limit[g]) % 11));
            }
    }
}

TEST_CASE("a uniform_load after a barrier is one value for the whole workgroup", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "shared_bound" groups workgroup 10 1 1 math contract cooperative {
  buffer inout %x: u32
  shared %n: u32
  %l = local_id.x : u32
  %g = global_id.x : u32
  %is_last = eq %l, 9u32 : bool
  if %is_last {
    %v = load %x[%g] : u32
    store %n, %v
  }
  %bound = uniform_load %n : u32
  declare %sum: u32
  store %sum, 0u32
  for %i = 0u32 to %bound step 1u32 : u32 {
    %a = load %sum : u32
    %b = add %a, %l : u32
    store %sum, %b
    barrier
  }
  %r = load %sum : u32
  store %x[%g], %r
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> x(20, 77);
        x[9] = 3, x[19] = 6;
        runnable(kernel, lanes, vectors).buffer(x).groups(2);
        for (std::uint32_t i = 0; i < 20; ++i) REQUIRE(x[i] == (i < 10 ? 3 : 6) * (i % 10));
    }
}

TEST_CASE("atomics count every lane that is on, at one place and at many", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "histogram" groups workgroup 13 1 1 math contract cooperative {
  buffer in %x: u32
  buffer inout %bins: u32
  buffer inout %total: u32
  buffer inout %sum: f32
  shared %used: u32
  %l = local_id.x : u32
  %g = global_id.x : u32
  %first = eq %l, 0u32 : bool
  if %first {
    store %used, 0u32
  }
  barrier
  %v = load %x[%g] : u32
  %b = bit_and %v, 3u32 : u32
  %old = atomic_add %bins[%b], 1u32 : u32
  %on = ne %b, 2u32 : bool
  if %on {
    %o2 = atomic_add %total[0u32], %v : u32
    %o3 = atomic_max %total[1u32], %v : u32
    %o4 = atomic_add %used, 1u32 : u32
    %f = cast %v : f32
    %o5 = atomic_add %sum[0u32], %f : f32
    %o6 = atomic_min %sum[1u32], %f : f32
    %o7 = atomic_compare_exchange %total[2u32], 0u32, %v : u32
  }
  barrier
  if %first {
    %u = load %used : u32
    %o = atomic_add %total[3u32], %u : u32
  }
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> x(39), bins(4), total(4);
        std::vector<float> sum = {0, 1e9f};
        for (std::uint32_t i = 0; i < 39; ++i) x[i] = (i * 7 + 1) % 23;
        runnable(kernel, lanes, vectors).buffer(x).buffer(bins).buffer(total).buffer(sum).groups(3);
        std::vector<std::uint32_t> expected_bins(4), on;
        for (std::uint32_t v : x) {
            ++expected_bins[v & 3];
            if ((v & 3) != 2) on.push_back(v);
        }
        CHECK(bins == expected_bins);
        CHECK(total[0] == std::accumulate(on.begin(), on.end(), 0u));
        CHECK(total[1] == *std::max_element(on.begin(), on.end()));
        CHECK(total[2] == on[0]);
        CHECK(total[3] == on.size());
        CHECK(sum[0] == static_cast<float>(total[0]));
        CHECK(sum[1] == static_cast<float>(*std::min_element(on.begin(), on.end())));
    }
}

TEST_CASE("subgroup operations see the lanes of one vector that exist", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "subgroups" groups workgroup 21 1 1 math precise cooperative {
  buffer in %x: i32
  buffer out %y: array<i32, 9>
  %g = global_id.x : u32
  %v = load %x[%g] : i32
  %sum = subgroup_add %v : i32
  %low = subgroup_min %v : i32
  %up_to = subgroup_inclusive_add %v : i32
  %before = subgroup_exclusive_add %v : i32
  %one = subgroup_broadcast %v, 1u32 : i32
  %swap = subgroup_shuffle_xor %v, 1u32 : i32
  %positive = gt %v, 0i32 : bool
  %ballot = subgroup_ballot %positive : vec4<u32>
  %word = extract %ballot[0] : u32
  %bits = cast %word : i32
  %f = cast %v : f32
  %fs = subgroup_add %f : f32
  %fi = cast %fs : i32
  store %y[%g][0u32], %sum
  store %y[%g][1u32], %low
  store %y[%g][2u32], %up_to
  store %y[%g][3u32], %before
  store %y[%g][4u32], %one
  store %y[%g][5u32], %swap
  store %y[%g][6u32], %bits
  store %y[%g][7u32], %fi
  %lane = subgroup_lane : u32
  %odd = bit_and %lane, 1u32 : u32
  %is_odd = eq %odd, 1u32 : bool
  if %is_odd {
    store %y[%g][8u32], 1i32
  } else {
    store %y[%g][8u32], 2i32
  }
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::int32_t> x(42), y(42 * 9);
        for (std::int32_t i = 0; i < 42; ++i) x[static_cast<std::size_t>(i)] = (i * 13) % 17 - 8;
        runnable(kernel, lanes, vectors).buffer(x).buffer(y).groups(2);
        for (std::size_t i = 0; i < 42; ++i) {
            const std::size_t group = i / 21, vector = (i % 21) / lanes, first = group * 21 + vector * lanes;
            const std::size_t count = std::min<std::size_t>(lanes, 21 - vector * lanes), lane = i - first;
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(count);
            const std::int32_t* r = &y[9 * i];
            REQUIRE(r[0] == std::accumulate(begin, end, 0));
            REQUIRE(r[1] == *std::min_element(begin, end));
            REQUIRE(r[2] == std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(lane) + 1, 0));
            REQUIRE(r[3] == std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(lane), 0));
            if (count > 1) REQUIRE(r[4] == x[first + 1]);
            if ((lane ^ 1) < count) REQUIRE(r[5] == x[first + (lane ^ 1)]);
            std::int32_t bits = 0;
            for (std::size_t k = 0; k < count; ++k) bits |= x[first + k] > 0 ? 1 << k : 0;
            REQUIRE(r[6] == bits);
            REQUIRE(r[7] == r[0]);
            REQUIRE(r[8] == (lane % 2 == 1 ? 1 : 2));  // the lane number is not uniform
        }
    }
}

TEST_CASE("what lanes that left a loop would read again is kept for them, and nothing else", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "leaving" over math precise {
  buffer out %trips: u32
  buffer out %last: u32
  buffer out %inner: u32
  buffer out %skipped: u32
  buffer out %rounds: u32
  %i = global_id.x : u32
  declare %v: u32
  declare %n: u32
  store %v, %i
  store %n, 0u32
  while {
    %v0 = load %v : u32
    %v1 = lt %v0, 300u32 : bool
  } %v1 {
    %v2 = load %v : u32
    %v3 = mul %v2, 2u32 : u32
    %v4 = add %v3, 1u32 : u32
    store %v, %v4
    %n0 = load %n : u32
    %n1 = add %n0, 1u32 : u32
    store %n, %n1
  }
  %n2 = load %n : u32
  store %trips[%i], %n2

  declare %w: u32
  store %w, %i
  while {
    %w0 = load %w : u32
    %w1 = lt %w0, 300u32 : bool
  } %w1 {
    %w2 = load %w : u32
    %w3 = mul %w2, 2u32 : u32
    %w4 = add %w3, 1u32 : u32
    store %w, %w4
  }
  %w5 = load %w : u32
  store %last[%i], %w5

  %few = rem %i, 7u32 : u32
  declare %c: u32
  declare %u: u32
  declare %s: u32
  store %c, 0u32
  store %u, %i
  store %s, 0u32
  while {
    %c0 = load %c : u32
    %c1 = lt %c0, %few : bool
  } %c1 {
    %c2 = load %c : u32
    %mix = add %c2, %i : u32
    %bit = bit_and %mix, 1u32 : u32
    %odd = ne %bit, 0u32 : bool
    if %odd {
      %u0 = load %u : u32
      %u1 = mul %u0, 3u32 : u32
      store %u, %u1
    }
    %u2 = load %u : u32
    %s0 = load %s : u32
    %s1 = add %s0, %u2 : u32
    store %s, %s1
    %c3 = add %c2, 1u32 : u32
    store %c, %c3
  }
  %s2 = load %s : u32
  store %inner[%i], %s2

  declare %d: u32
  declare %t: u32
  declare %q: u32
  store %d, 0u32
  store %t, 1u32
  store %q, 0u32
  while {
    %d0 = load %d : u32
    %d1 = lt %d0, %few : bool
  } %d1 {
    %d2 = load %d : u32
    %d3 = add %d2, 1u32 : u32
    store %d, %d3
    %mix2 = add %d3, %i : u32
    %bit2 = bit_and %mix2, 1u32 : u32
    %odd2 = ne %bit2, 0u32 : bool
    if %odd2 {
      continue
    }
    %t0 = load %t : u32
    %t1 = mul %t0, 5u32 : u32
    store %t, %t1
    %q0 = load %q : u32
    %q1 = add %q0, %t1 : u32
    store %q, %q1
  }
  %q2 = load %q : u32
  store %skipped[%i], %q2

  declare %z: u32
  declare %k: u32
  store %z, 0u32
  store %k, 0u32
  for %r = 0u32 to 3u32 step 1u32 : u32 {
    %far = mul %i, 7u32 : u32
    %far1 = mul %r, 11u32 : u32
    %far2 = add %far, %far1 : u32
    %end = rem %far2, 23u32 : u32
    while {
      %z0 = load %z : u32
      %z1 = lt %z0, %end : bool
    } %z1 {
      %z2 = load %z : u32
      %z3 = add %z2, 3u32 : u32
      store %z, %z3
      %k0 = load %k : u32
      %k1 = add %k0, 1u32 : u32
      store %k, %k1
    }
  }
  %k2 = load %k : u32
  store %rounds[%i], %k2
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::array<std::vector<std::uint32_t>, 5> out;
        for (auto& o : out) o.resize(150);
        runnable(kernel, lanes, vectors).buffer(out[0]).buffer(out[1]).buffer(out[2]).buffer(out[3]).buffer(out[4]).range(150);
        for (std::uint32_t i = 0; i < 150; ++i) {
            std::uint32_t trips = 0, v = i, sum = 0, u = i, t = 1, q = 0, z = 0, rounds = 0;
            for (; v < 300; ++trips) v = 2 * v + 1;
            for (std::uint32_t c = 0; c < i % 7; ++c) sum += u *= (c + i) % 2 ? 3 : 1;
            for (std::uint32_t d = 1; d <= i % 7; ++d)
                if ((d + i) % 2 == 0) q += t *= 5;
            for (std::uint32_t r = 0; r < 3; ++r)
                for (; z < (7 * i + 11 * r) % 23; ++rounds) z += 3;
            INFO(lanes << " lanes, " << vectors << " vectors, invocation " << i);
            REQUIRE(std::array{out[0][i], out[1][i], out[2][i], out[3][i], out[4][i]} == std::array{trips, v, sum, q, rounds});
        }
    }
    // of the first loop, only the count is blended
    const std::string first = kernel.substr(0, kernel.find("  declare %w")) + "}\n";
    const stages s = compile(first, 8, quern_cpu_stage_llvm, nullptr, 0, 1);
    REQUIRE(s.result == 0);
    const std::string loop = s.text.at(quern_cpu_stage_llvm);
    CHECK_FALSE(contains(loop, "select <8 x i1>"));  // LLVM adds the mask to the count
}

TEST_CASE("a pack reads and stores nothing for a vector whose lanes are all off", "[cpu-codegen]") {
    // every vector's own index is only in range for the lanes that are on
    const std::string kernel = R"(
kernel "off" groups workgroup 16 8 1 math precise cooperative {
  buffer inout %x: u32
  buffer inout %rows: u32
  buffer in %few: u32
  shared %used: array<u32, 8>
  %l = local_id.x : u32
  %y = local_id.y : u32
  %row = mul %y, 16u32 : u32
  %i = add %row, %l : u32
  declare %seen: u32
  declare %small: array<u32, 2>
  store %seen, 7u32
  store %small[0u32], 1u32
  store %small[1u32], 2u32
  %near = lt %y, 2u32 : bool
  if %near {
    %f = load %few[%y] : u32
    store %seen, %f
    %s = load %small[%y] : u32
    %s1 = add %s, 10u32 : u32
    store %small[%y], %s1
    store %rows[%y], %f
    store %used[%y], %f
    %old = atomic_add %rows[2u32], 1u32 : u32
    %other = mul %y, 1u32 : u32
    %z = bit_xor %l, %y : u32
    %picked = rem %z, 2u32 : u32
    %g = load %few[%picked] : u32
    store %x[%i], %g
  } else {
    %far = load %x[%i] : u32
    %far1 = add %far, 100u32 : u32
    store %x[%i], %far1
  }
  barrier
  %v = load %x[%i] : u32
  %w = load %seen : u32
  %p = load %small[0u32] : u32
  %q = load %small[1u32] : u32
  %vw = add %v, %w : u32
  %pq = add %p, %q : u32
  %r = add %vw, %pq : u32
  store %x[%i], %r
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> x = iota<std::uint32_t>(128), rows = {0, 0, 0}, few = {40, 50};
        runnable(kernel, lanes, vectors).buffer(x).buffer(rows).buffer(few).groups(1);
        CHECK(rows == std::vector<std::uint32_t>{40, 50, 32});
        for (std::uint32_t i = 0; i < 128; ++i) {
            const std::uint32_t y = i / 16, l = i % 16;
            INFO(lanes << " lanes, " << vectors << " vectors, invocation " << i);
            REQUIRE(x[i] == (y < 2 ? few[(l ^ y) % 2] + few[y] + 13 : i + 100 + 7 + 3));
        }
    }
}

TEST_CASE("switches run one arm in each lane, and an invalid value the default", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "arms" over math contract {
  buffer inout %x: u32
  %i = global_id.x : u32
  %v = load %x[%i] : u32
  %m = rem %v, 5u32 : u32
  declare %r: u32
  store %r, 1u32
  switch %m {
    case 0u32 { store %r, 10u32 }
    case 3u32 { store %r, 30u32 }
    default {
      %d = add %v, 100u32 : u32
      store %r, %d
    }
  }
  %o = load %r : u32
  store %x[%i], %o
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint32_t> x = iota<std::uint32_t>(33);
        runnable(kernel, lanes, vectors).buffer(x).range(33);
        for (std::uint32_t i = 0; i < 33; ++i) REQUIRE(x[i] == (i % 5 == 0 ? 10 : i % 5 == 3 ? 30 : i + 100));
    }
}

TEST_CASE("conversions saturate, and minima drop a NaN and order zeros", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "floats" over math contract {
  buffer in %x: f32
  buffer in %z: f32
  buffer out %n: i32
  buffer out %u: u32
  buffer out %low: u32
  buffer out %e: f32
  %i = global_id.x : u32
  %v = load %x[%i] : f32
  %w = load %z[%i] : f32
  %c = cast %v : i32
  store %n[%i], %c
  %d = cast %v : u32
  store %u[%i], %d
  %m = min %v, %w : f32
  %b = bit_cast %m : u32
  store %low[%i], %b
  %ex = exp2 %w : f32
  store %e[%i], %ex
}
)";
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> x = {nan, 1.5f, -1.5f, 3e9f, -3e9f, 1e20f, -0.0f, 0.0f, 5.f}, z = {2.f, nan, 1.f, 0.f, 0.f, 3.f, 0.0f, -0.0f, 4.f};
    const std::vector<std::int32_t> n = {0, 1, -1, 2147483647, -2147483647 - 1, 2147483647, 0, 0, 5};
    const std::vector<std::uint32_t> u = {0, 1, 0, 3000000000u, 0, 4294967295u, 0, 0, 5};
    const std::vector<std::uint32_t> low = {0x40000000, 0x3fc00000, 0xbfc00000, 0, 0xcf32d05e, 0x40400000, 0x80000000, 0x80000000, 0x40800000};
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::int32_t> n_out(9);
        std::vector<std::uint32_t> u_out(9), low_out(9);
        std::vector<float> e(9);
        runnable(kernel, lanes, vectors).buffer(x).buffer(z).buffer(n_out).buffer(u_out).buffer(low_out).buffer(e).range(9);
        CHECK(n_out == n);
        CHECK(u_out == u);
        CHECK(low_out == low);
        CHECK(e[0] == 4.f);
        CHECK(e[8] == 16.f);
        CHECK(std::isnan(e[1]));
    }
}

TEST_CASE("bools in memory are bytes, any of which but zero is true", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "bools" over math contract {
  buffer inout %x: bool
  %i = global_id.x : u32
  %v = load %x[%i] : bool
  %n = bit_not %v : bool
  %bit = bit_and %i, 1u32 : u32
  %odd = ne %bit, 0u32 : bool
  %r = bit_xor %n, %odd : bool
  store %x[%i], %r
}
)";
    for (const auto [lanes, vectors] : steps_of_lanes) {
        std::vector<std::uint8_t> x(35);
        for (std::size_t i = 0; i < 35; ++i) x[i] = static_cast<std::uint8_t>(i % 3 ? i * 5 : 0);
        const std::vector<std::uint8_t> x0 = x;
        runnable(kernel, lanes, vectors).buffer(x).range(35);
        for (std::size_t i = 0; i < 35; ++i) REQUIRE(x[i] == ((x0[i] == 0) != (i % 2 != 0) ? 1 : 0));
    }
}

TEST_CASE("objects for old and new processors need no symbols from elsewhere", "[cpu-codegen]") {
    const std::string kernel = R"(
kernel "functions" over math precise {
  buffer inout %x: f32
  buffer inout %d: f64
  %i = global_id.x : u32
  %v = load %x[%i] : f32
  %a = fma %v, %v, 1.0f32 : f32
  %b = floor %a : f32
  %c = rem %b, 3.0f32 : f32
  %s = sin %c : f32
  %u = round %s : f32
  store %x[%i], %u
  %w = load %d[%i] : f64
  %e = pow %w, 2.5f64 : f64
  %f = cast %e : u64
  %g = cast %f : f64
  store %d[%i], %g
}
)";
    for (const char* cpu : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4"})
        for (const std::uint32_t lanes : widths) {
            const stages s = compile(kernel, lanes, quern_cpu_stage_object, cpu);
            INFO(cpu << (s.result ? s.error() : ""));
            CHECK(s.result == 0);
        }
}

TEST_CASE("what cannot be compiled or linked is reported as text", "[cpu-codegen]") {
    stages s = compile(saxpy, 5);
    CHECK(s.result != 0);
    CHECK(contains(s.error(), "lanes must be 4, 8 or 16"));
    s = compile(saxpy, 8, quern_cpu_stage_object, "no-such-cpu");
    CHECK(s.result != 0);
    CHECK(contains(s.error(), "no-such-cpu"));
    const std::uint8_t junk[16] = {1, 2, 3};
    const quern_cpu_request request{junk, sizeof junk, nullptr, nullptr, 8, 0, 0, quern_cpu_stage_object};
    stages bad;
    CHECK(cpu::codegen_module().compile(&request, keep, &bad) != 0);
    CHECK_FALSE(bad.error().empty());
    quern_cpu_entry entry = nullptr;
    stages loading;
    CHECK(cpu::codegen_module().load(junk, sizeof junk, &entry, keep, &loading) == nullptr);
    CHECK_FALSE(loading.error().empty());
}

TEST_CASE("the host describes itself exactly", "[cpu-codegen]") {
    quern_cpu_host host;
    cpu::codegen_module().host(&host);
    CHECK(std::strlen(host.cpu) > 0);
    CHECK((host.features[0] == '+' || host.features[0] == '-'));
    CHECK(contains(host.features, "sse2"));
    CHECK(contains(host.llvm_version, "19."));
    CHECK((host.lanes == 4 || host.lanes == 8 || host.lanes == 16));
}

}  // namespace
