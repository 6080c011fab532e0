// The reference interpreter and its device, on small kernels whose results are worked out by hand.
#include <catch2/catch.hpp>

#include <array>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <quern/error.hpp>

#include "backends/reference/interpreter.hpp"
#include "backends/reference/reference.hpp"
#include "tests/conformance/sketch.hpp"

using namespace quern;
using ir::op;
using tests::sketch;
using enum quern::quern_detail::scalar_kind;

namespace {

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& v) {
    return std::as_writable_bytes(std::span(v));
}

struct shape {
    std::array<std::uint64_t, 3> extent{1, 1, 1}, groups{1, 1, 1};
    std::uint32_t lanes = 8;
    std::uint64_t step_budget = 100'000;
};

template <class... T>
void run(const ir::module& m, const shape& s, std::span<const std::byte> values, std::vector<T>&... buffers) {
    const std::vector<std::span<std::byte>> spans{bytes_of(buffers)...};
    reference::run_arguments a;
    a.buffers = spans;
    a.values = values;
    a.extent = s.extent;
    a.groups = s.groups;
    a.lanes = s.lanes;
    a.step_budget = s.step_budget;
    reference::interpret(m, a);
}

using words = std::vector<std::uint32_t>;

/// y[i] = a * x[i] + y[i]
ir::module saxpy() {
    sketch k("saxpy");
    const auto y = k.buffer(k.scalar(f32)), x = k.buffer(k.scalar(f32), ir::access::read);
    const auto a = k.value(k.scalar(f32));
    const auto i = k.leaf(op::global_id);
    k.at("saxpy.cpp", 17);
    k.store(y, i, k.b.define(op::add, {k.b.define(op::mul, {a, k.load(x, i)}), k.load(y, i)}));
    return std::move(k.finish());
}

}  // namespace

TEST_CASE("An over launch runs exactly its extent") {
    std::vector<float> y{1, 2, 3, 4}, x{10, 20, 30, 40};
    const float a = 2;
    run(saxpy(), {{3, 1, 1}}, std::as_bytes(std::span(&a, 1)), y, x);
    CHECK(y == std::vector<float>{21, 42, 63, 4});
    run(saxpy(), {{0, 1, 1}}, std::as_bytes(std::span(&a, 1)), y, x);
    CHECK(y == std::vector<float>{21, 42, 63, 4});
}

TEST_CASE("Positions in three dimensions are those of the launch") {
    sketch k("positions");
    const auto out = k.buffer(k.scalar(u32));
    const auto x = k.leaf(op::global_id, 0), y = k.leaf(op::global_id, 1), z = k.leaf(op::global_id, 2);
    const auto row = k.b.define(op::add, {k.b.define(op::mul, {z, k.u32(2)}), y});
    const auto cell = k.b.define(op::add, {k.b.define(op::mul, {row, k.u32(3)}), x});
    const auto hundreds = k.b.define(op::mul, {z, k.u32(100)}), tens = k.b.define(op::mul, {y, k.u32(10)});
    k.store(out, cell, k.b.define(op::add, {k.b.define(op::add, {hundreds, tens}), x}));
    words v(12, 7);
    run(k.finish(), {{3, 2, 2}}, {}, v);
    CHECK(v == words{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112});
}

TEST_CASE("An index out of range names kernel, line, index and bound and touches nothing") {
    std::vector<float> y(4, 1.f), x(3, 1.f);
    const float a = 2;
    CHECK_THROWS_MATCHES(run(saxpy(), {{4, 1, 1}}, std::as_bytes(std::span(&a, 1)), y, x), device_error,
                         Catch::Matchers::Predicate<device_error>([](const device_error& e) {
                             const std::string text = e.what();
                             return text.find("saxpy") != text.npos && text.find("saxpy.cpp:17") != text.npos &&
                                    text.find("index 3") != text.npos && text.find("3 elements") != text.npos;
                         }));
    CHECK(y == std::vector<float>{3, 3, 3, 1});
}

TEST_CASE("A negative index is out of every range") {
    sketch k("negative");
    const auto out = k.buffer(k.scalar(u32));
    k.store(out, k.b.constant(i32, 0xffff'ffff), k.u32(1));
    words v(8);
    CHECK_THROWS_WITH(run(k.finish(), {}, {}, v), Catch::Contains("index -1"));
}

TEST_CASE("Shared memory is exchanged at a barrier, each workgroup on its own") {
    sketch k("reverse");
    k.cooperate(4);
    const auto out = k.buffer(k.scalar(u32));
    const auto tile = k.variable(ir::storage::shared, ir::intern_array(k.m, k.scalar(u32), 4));
    const auto local = k.leaf(op::local_id), global = k.leaf(op::global_id);
    const auto at = [&](ir::value_id i) { return k.place(ir::root_kind::variable, tile, {{ir::step::kind::index, i, 0}}); };
    k.b.append(ir::store{at(local), k.load(out, global)});
    k.b.append(ir::barrier{});
    k.store(out, global, k.b.load(at(k.b.define(op::sub, {k.u32(3), local}))));
    words v{0, 1, 2, 3, 4, 5, 6, 7};
    run(k.finish(), {{8, 1, 1}}, {}, v);
    CHECK(v == words{3, 2, 1, 0, 7, 6, 5, 4});
}

TEST_CASE("A barrier that not all invocations reach is an internal error") {
    sketch k("divergent");
    k.cooperate(4);
    const auto local = k.leaf(op::local_id);
    k.if_(k.b.define(op::lt, {local, k.u32(2)}), [&] { k.b.append(ir::barrier{}); });
    CHECK_THROWS_WITH(run(k.finish(), {{4, 1, 1}}, {}), Catch::Contains("divergent barrier"));
}

TEST_CASE("A uniform load stands between two barriers") {
    sketch k("uniform_load");
    k.cooperate(4);
    const auto out = k.buffer(k.scalar(u32));
    const auto cell = k.variable(ir::storage::shared, k.scalar(u32));
    const auto whole = k.place(ir::root_kind::variable, cell, {});
    const auto local = k.leaf(op::local_id);
    k.if_(k.b.define(op::eq, {local, k.u32(3)}), [&] { k.b.append(ir::store{whole, k.u32(42)}); });
    const auto seen = k.b.define(op::uniform_load, {}, whole.number);
    k.if_(k.b.define(op::eq, {local, k.u32(0)}), [&] { k.b.append(ir::store{whole, k.u32(0)}); });
    k.store(out, local, seen);
    words v(4);
    run(k.finish(), {{4, 1, 1}}, {}, v);
    CHECK(v == words{42, 42, 42, 42});
}

TEST_CASE("Subgroups are consecutive lanes and the last one may be partial") {
    sketch k("subgroups");
    k.cooperate(6);
    const auto out = k.buffer(k.scalar(u32));
    const auto i = k.leaf(op::local_id);
    const auto put = [&](std::uint32_t row, ir::value_id v) { k.store(out, k.b.define(op::add, {i, k.u32(6 * row)}), v); };
    put(0, k.b.define(op::subgroup_add, {i}));
    put(1, k.b.define(op::subgroup_inclusive_add, {i}));
    put(2, k.b.define(op::subgroup_exclusive_add, {i}));
    put(3, k.b.define(op::subgroup_broadcast, {i, k.u32(1)}));
    put(4, k.b.define(op::subgroup_shuffle_xor, {i, k.u32(1)}));
    put(5, k.b.define(op::extract, {k.b.define(op::subgroup_ballot, {k.b.define(op::ne, {i, k.u32(2)})})}));
    put(6, k.leaf(op::subgroup_id));
    put(7, k.leaf(op::subgroup_lane));
    put(8, k.leaf(op::subgroup_count));
    words v(54);
    run(k.finish(), {{6, 1, 1}, {1, 1, 1}, 4}, {}, v);
    CHECK(v == words{6, 6, 6, 6, 9, 9,  0, 1, 3, 6, 4, 9,  0, 0, 1, 3, 0, 4,  1, 1, 1, 1, 5, 5,  1, 0, 3, 2, 5, 4,
                     11, 11, 11, 11, 3, 3,  0, 0, 0, 0, 1, 1,  0, 1, 2, 3, 0, 1,  2, 2, 2, 2, 2, 2});
}

TEST_CASE("A counted loop does not wrap at its end") {
    sketch k("loop");
    const auto out = k.buffer(k.scalar(u32));
    const auto place = k.element(out, k.u32(0));
    k.for_(k.u32(0xffff'fff0), k.u32(0xffff'ffff), k.u32(8), [&](ir::value_id) {
        k.b.append(ir::store{place, k.b.define(op::add, {k.b.load(place), k.u32(1)})});
    });
    words v{0};
    run(k.finish(), {}, {}, v);
    CHECK(v == words{2});
}

TEST_CASE("Continue and break leave what they should") {
    sketch k("sum_of_odd_numbers_below_10");
    const auto out = k.buffer(k.scalar(u32));
    const auto sum = k.element(out, k.u32(0)), n = k.element(out, k.u32(1));
    const auto one = k.u32(1);
    ir::value_id condition;
    const auto head = k.block([&] {
        k.b.append(ir::store{n, k.b.define(op::add, {k.b.load(n), one})});
        condition = k.b.constant(boolean, 1);
    });
    const auto body = k.block([&] {
        k.if_(k.b.define(op::ge, {k.b.load(n), k.u32(10)}), [&] { k.b.append(ir::break_statement{}); });
        const auto odd = k.b.define(op::bit_and, {k.b.load(n), one});
        k.if_(k.b.define(op::eq, {odd, k.u32(0)}), [&] { k.b.append(ir::continue_statement{}); });
        k.b.append(ir::store{sum, k.b.define(op::add, {k.b.load(sum), k.b.load(n)})});
    });
    k.b.append(ir::while_statement{head, condition, body});
    words v{0, 0};
    run(k.finish(), {}, {}, v);
    CHECK(v == words{25, 10});
}

TEST_CASE("A switch runs one case or the default") {
    sketch k("switch");
    const auto out = k.buffer(k.scalar(u32));
    const auto i = k.leaf(op::global_id);
    const auto put = [&](std::uint32_t n) { return k.block([&] { k.store(out, i, k.u32(n)); }); };
    const std::array cases{ir::switch_case{0, put(10)}, ir::switch_case{2, put(12)}};
    k.b.append_switch(i, cases, put(99));
    words v(3);
    run(k.finish(), {{3, 1, 1}}, {}, v);
    CHECK(v == words{10, 99, 12});
}

TEST_CASE("Return ends the invocation, not its neighbours") {
    sketch k("return");
    const auto out = k.buffer(k.scalar(u32));
    const auto i = k.leaf(op::global_id);
    k.for_(k.u32(0), k.u32(5), k.u32(1), [&](ir::value_id) {
        k.if_(k.b.define(op::eq, {i, k.u32(1)}), [&] { k.b.append(ir::return_statement{}); });
    });
    k.store(out, i, k.u32(7));
    words v(3);
    run(k.finish(), {{3, 1, 1}}, {}, v);
    CHECK(v == words{7, 0, 7});
}

TEST_CASE("An endless loop exhausts its step budget") {
    sketch k("endless");
    ir::value_id condition;
    const auto head = k.block([&] { condition = k.b.constant(boolean, 1); });
    k.b.append(ir::while_statement{head, condition, k.block([] {})});
    CHECK_THROWS_AS(run(k.finish(), {}, {}), device_error);
}

TEST_CASE("A false promise is reported") {
    sketch k("promise");
    k.b.append(ir::assume{k.b.constant(boolean, 0)});
    CHECK_THROWS_WITH(run(k.finish(), {}, {}), Catch::Contains("assume"));
}

TEST_CASE("A bool is a byte of which any nonzero value is true") {
    sketch k("bools");
    const auto out = k.buffer(k.scalar(boolean)), in = k.buffer(k.scalar(boolean), ir::access::read);
    const auto i = k.leaf(op::global_id);
    k.store(out, i, k.load(in, i));
    std::vector<unsigned char> to(3, 9), from{0, 1, 200};
    run(k.finish(), {{3, 1, 1}}, {}, to, from);
    CHECK(to == std::vector<unsigned char>{0, 1, 1});
}

TEST_CASE("Structs, vectors and arrays lie where the host has them") {
    struct particle {
        float position[3];
        double mass;
        std::int16_t tags[2];
    };
    sketch k("particles");
    const auto float3 = ir::intern_vector(k.m, f32, 3), mass = k.scalar(f64);
    const auto tags = ir::intern_array(k.m, k.scalar(i16), 2);
    const std::array members{ir::member{offsetof(particle, position), float3, "position"},
                             ir::member{offsetof(particle, mass), mass, "mass"},
                             ir::member{offsetof(particle, tags), tags, "tags"}};
    const auto type = ir::intern_struct(k.m, members, sizeof(particle), alignof(particle));
    const auto p = k.buffer(type);
    const auto i = k.leaf(op::global_id);
    const ir::step element{ir::step::kind::index, i, 0};
    const auto member = [](std::uint32_t n) { return ir::step{ir::step::kind::member, {}, n}; };
    const auto y = k.place(ir::root_kind::parameter, p, {element, member(0), member(1)});
    const auto last_tag = k.place(ir::root_kind::parameter, p, {element, member(2), {ir::step::kind::index, k.u32(1), 0}});
    const auto whole = k.load(p, i);
    k.b.append(ir::store{y, k.b.define(op::cast, {k.b.define(op::extract, {whole}, 1)}, 0, k.scalar(f32))});
    k.b.append(ir::store{last_tag, k.b.define(op::cast, {k.b.constant(i32, 0x1'fffe)}, 0, k.scalar(i16))});
    std::vector<particle> v{{{1, 2, 3}, 4.5, {6, 7}}, {{1, 2, 3}, -8, {6, 7}}};
    run(k.finish(), {{2, 1, 1}}, {}, v);
    CHECK(v[0].position[1] == 4.5f);
    CHECK(v[1].position[1] == -8.f);
    CHECK(v[1].position[2] == 3.f);
    CHECK(v[1].tags[0] == 6);
    CHECK(v[1].tags[1] == -2);
}

TEST_CASE("Values follow each other at their own alignment") {
    sketch k("values");
    const auto out = k.buffer(k.scalar(f64));
    const auto flag = k.value(k.scalar(u8));
    const auto number = k.value(k.scalar(f64));
    k.store(out, k.u32(0), k.b.define(op::add, {number, k.b.define(op::cast, {flag}, 0, k.scalar(f64))}));
    std::array<std::byte, 16> values{};
    const double half = 0.5;
    values[0] = std::byte{200};
    std::memcpy(values.data() + 8, &half, sizeof half);
    std::vector<double> v{0};
    run(k.finish(), {}, values, v);
    CHECK(v[0] == 200.5);
    CHECK_THROWS_AS(run(k.m, {}, std::span(values).first(8), v), usage_error);
}

TEST_CASE("Vectors are swizzled, indexed, inserted into and reinterpreted") {
    sketch k("vectors");
    const auto out = k.buffer(k.scalar(u32));
    const auto u4 = ir::intern_vector(k.m, u32, 4);
    const std::array parts{k.u32(10), k.u32(11), k.u32(12), k.u32(13)};
    const auto v = k.b.define(op::construct, parts, 0, u4);
    const auto zx = k.b.define(op::swizzle, {v}, 0xff02, ir::intern_vector(k.m, u32, 2));
    k.store(out, k.u32(0), k.b.define(op::extract, {zx}, 0));
    k.store(out, k.u32(1), k.b.define(op::extract, {zx}, 1));
    k.store(out, k.u32(2), k.b.define(op::extract_dynamic, {v, k.u32(3)}));
    k.store(out, k.u32(3), k.b.define(op::extract, {k.b.define(op::insert, {v, k.u32(99)}, 2)}, 2));
    const auto bytes = k.b.define(op::bit_cast, {k.u32(0x0403'0201)}, 0, ir::intern_vector(k.m, u8, 4));
    k.store(out, k.u32(4), k.b.define(op::cast, {k.b.define(op::extract, {bytes}, 3)}, 0, k.scalar(u32)));
    words w(5);
    run(k.finish(), {}, {}, w);
    CHECK(w == words{12, 10, 13, 99, 4});
}

TEST_CASE("Atomics return the old value and store the new one") {
    struct row {
        op code;
        std::uint32_t operand, stored;
    };
    const auto [code, operand, stored] = GENERATE(values<row>({{op::atomic_add, 5, 17}, {op::atomic_sub, 5, 7},
        {op::atomic_min, 5, 5}, {op::atomic_max, 5, 12}, {op::atomic_and, 5, 4}, {op::atomic_or, 3, 15},
        {op::atomic_xor, 5, 9}, {op::atomic_exchange, 5, 5}}));
    INFO(ir::info(code).name);
    sketch k("atomic");
    const auto out = k.buffer(k.scalar(u32));
    k.store(out, k.u32(1), k.b.define(code, {k.u32(operand)}, k.element(out, k.u32(0)).number));
    words v{12, 0};
    run(k.finish(), {}, {}, v);
    CHECK(v == words{stored, 12});
}

TEST_CASE("A compare-exchange stores only where the expected value stood") {
    sketch k("compare_exchange");
    const auto out = k.buffer(k.scalar(u32));
    const auto i = k.leaf(op::global_id);
    k.b.define(op::atomic_compare_exchange, {k.u32(5), k.u32(6)}, k.element(out, i).number);
    const auto seen = k.b.define(op::atomic_load, {}, k.element(out, i).number);
    k.b.define(op::atomic_store, {k.b.define(op::add, {seen, k.u32(100)})}, k.element(out, i).number);
    words v{4, 5};
    run(k.finish(), {{2, 1, 1}}, {}, v);
    CHECK(v == words{104, 106});
}

TEST_CASE("The caller's rounding mode does not change the meaning and is restored") {
    std::vector<float> y{1}, x{0x1p-24f};
    const float a = 1;
    std::fesetround(FE_UPWARD);
    run(saxpy(), {}, std::as_bytes(std::span(&a, 1)), y, x);
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    CHECK(y[0] == 1.f);
}

TEST_CASE("The reference device runs what its backend compiled and reports failures at the wait") {
    backends::backend& b = backends::reference_backend();
    std::string reason;
    const auto found = b.enumerate(reason);
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == "reference");
    CHECK_FALSE(found[0].listed);
    const auto device = b.open("reference", {});
    CHECK(device->target().info.backend == backend::reference);
    CHECK(device->target().info.subgroup_size == 8);
    CHECK_THROWS_AS(b.open("reference:1", {}), usage_error);

    const auto m = saxpy();
    const auto code = b.compile(m, device->target(), {});
    CHECK(code.format == "qir");
    const auto program = device->load(code, m, {});
    const auto y = device->allocate(16, backends::memory_kind::device), x = device->allocate(16, backends::memory_kind::device);
    const auto queue = device->make_queue();
    std::vector<float> start{1, 2, 3, 4}, slope{10, 20, 30, 40}, result(4);
    const float a = 2;
    const auto dispatch = [&](std::uint64_t count) {
        const std::array arguments{backends::buffer_argument{y.get(), 0, 4}, backends::buffer_argument{x.get(), 0, count}};
        backends::dispatch d;
        d.program = program.get();
        d.buffers = arguments;
        d.values = std::as_bytes(std::span(&a, 1));
        d.extent = {4, 1, 1};
        queue->encode(d);
    };
    queue->encode_upload(bytes_of(start), *y, 0);
    queue->encode_upload(bytes_of(slope), *x, 0);
    dispatch(4);
    queue->encode_download(*y, 0, bytes_of(result));
    int released = 0;
    queue->retain(&released, [](void* p) noexcept { ++*static_cast<int*>(p); });
    CHECK(result == std::vector<float>(4));
    queue->submit();
    CHECK(result == std::vector<float>{21, 42, 63, 84});
    CHECK(released == 1);
    queue->synchronize();

    const auto before = queue->record();
    dispatch(3);
    queue->submit();
    const auto after = queue->record();
    CHECK(after->done());
    CHECK(after->timestamp_ns() >= before->timestamp_ns());
    before->wait();
    CHECK_THROWS_AS(after->wait(), device_error);
    CHECK_THROWS_AS(queue->synchronize(), device_error);
    queue->synchronize();
}

TEST_CASE("A buffer above the reference device's memory is a device error and the device still works") {
    const auto device = backends::reference_backend().open("reference", {});
    CHECK_THROWS_AS(device->allocate(device->target().info.memory_bytes + 1, backends::memory_kind::device), device_error);
    const auto memory = device->allocate(8, backends::memory_kind::host_visible);
    REQUIRE(memory->mapped != nullptr);
    std::vector<std::byte> host(4);
    CHECK(device->wrap(host)->mapped == host.data());
}
