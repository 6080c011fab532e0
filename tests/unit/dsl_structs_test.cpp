// Structs, newtypes and enums in kernels: members by name on places, val and var; what Boost.Hana knows of them.
#include <catch2/catch.hpp>

#include <boost/hana.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <quern/quern.hpp>

#include "dsl/ir/text.hpp"
#include "tests/support/tracing.hpp"

namespace physics {

enum class phase : std::int8_t { solid = -1, liquid = 0, gas = 100 };
QUERN_ENUM(phase, solid, liquid, gas);
QUERN_NEWTYPE(particle_id, unsigned int);

struct spin {
    std::array<float, 3> axis;
    std::int16_t rate;
    bool operator==(const spin&) const = default;
};
QUERN_STRUCT(spin, axis, rate);

struct particle {
    quern::float3 position;
    double mass;
    spin turn;
    phase state;
    particle_id next;
    bool alive;
    bool operator==(const particle&) const = default;
};
QUERN_STRUCT(particle, position, mass, turn, state, next, alive);

/// Names that the library's own objects use as well.
struct awkward {
    int access, store, x, size, val, from;
};
QUERN_STRUCT(awkward, access, store, x, size, val, from);

}  // namespace physics


struct adapted {
    float mass;
    std::uint8_t kind;
    double charge;
};
BOOST_HANA_ADAPT_STRUCT(adapted, mass, kind, charge);

struct crooked {  // adapted, but not laid out as its members' types say
    std::uint8_t a;
    alignas(2) std::uint8_t b;
    std::uint8_t c;
    std::uint32_t d;
};
BOOST_HANA_ADAPT_STRUCT(crooked, a, b, c, d);

using namespace quern;
using namespace quern::tests;
using physics::particle;
using physics::particle_id;
using physics::phase;

namespace {

particle some_particle() {
    return {{1, 2, 3}, 4.5, {{5, 6, 7}, 8}, phase::gas, particle_id{9}, true};
}

}  // namespace

TEST_CASE("members of a place are read and written by name") {
    std::vector<particle> p{some_particle(), some_particle()};
    run_over(1, [](inout<particle> q) {
        q[0].position = q[1].position * 2;
        q[0].position.y() += 1;
        q[0].mass /= 2;
        q[0].turn.axis[1] = cast<float>(q[0].mass);
        q[0].turn.rate -= 9;
        q[0].state = phase::solid;
        q[0].alive = !q[1].alive;
        q[0].next = particle_id{7};
    }, p);
    CHECK(p[0] == particle{{2, 5, 6}, 2.25, {{5, 2.25f, 7}, -1}, phase::solid, particle_id{7}, false});
    CHECK(p[1] == some_particle());
}

TEST_CASE("members of val and var are values and places") {
    std::vector<particle> p{some_particle()};
    std::vector<double> y(5);
    run_with(1, some_particle(), [](inout<particle> q, out<double> r, val<particle> given) {
        val v = q[0];
        var w = v;
        w.mass = v.mass + given.mass;
        w.turn.axis[2] = v.turn.axis[0];
        w.turn.rate = given.turn.rate * 2;
        var copy = w;
        copy.mass = 100;
        r[0] = w.mass;
        r[1] = cast<double>(w.turn.axis[2]);
        r[2] = copy.mass;
        r[3] = cast<double>(v.turn.axis[global_id() + 1u]);
        place t = q[0].turn;
        t.rate = 77;
        r[4] = cast<double>(v.turn.rate + q[0].turn.rate);
        q[0].turn.axis = w.turn.axis;
    }, p, y);
    CHECK(y == std::vector<double>{9, 5, 100, 6, 85});
    CHECK(p[0].turn == physics::spin{{5, 6, 5}, 77});
}

TEST_CASE("a struct is stored whole, from the host, from a function, and from another place") {
    std::vector<particle> p{{}, {}, some_particle()};
    run_over(1, [](inout<particle> q) {
        const auto pushed = [](const traced auto& from, val<double> by) {
            var r = from;
            r.mass += by;
            return val<particle>(r);
        };
        q[0] = some_particle();
        q[1] = pushed(q[2], 1.5);
        q[2] = q[1];
        static val fixed = some_particle();
        q[2].position = fixed.position;
    }, p);
    CHECK(p[0] == some_particle());
    CHECK(p[1].mass == 6);
    CHECK(p[2] == p[1]);
}

TEST_CASE("reading a member loads that member alone") {
    CHECK(statements([](in<particle> p, out<double> y) { y[0] = p[1].mass; }) ==
          "%v0 = load %p0[1u32].mass : f64\nstore %p1[0u32], %v0\n");
}

TEST_CASE("arrays inside a kernel hold structs") {
    std::vector<int> y(2);
    run_over(1, [](out<int> r) {
        local_array<particle> a(3);
        a[1] = some_particle();
        a[2] = a[1];
        a[2].turn.rate *= 3;
        r[0] = cast<int>(a[1].turn.rate);
        r[1] = cast<int>(a[2].turn.rate);
    }, y);
    CHECK(y == std::vector<int>{8, 24});
}

TEST_CASE("members may have names that the library uses") {
    std::vector<physics::awkward> a{{1, 2, 3, 4, 5, 6}};
    run_over(1, [](inout<physics::awkward> p) {
        val v = p[0];
        var w = v;
        w.access = v.store + v.x;
        w.size = v.size * 10 + get<&physics::awkward::val>(v);
        p[0] = w;
        p[0].store = p[0].from + 0 * v.from;
        get<&physics::awkward::val>(p[0]) = 50;
    }, a);
    CHECK(a[0].access == 5);
    CHECK(a[0].store == 6);
    CHECK(a[0].size == 45);
    CHECK(a[0].val == 50);
}

TEST_CASE("a struct that Boost.Hana knows works with get, in the host's layout") {
    std::vector<adapted> p{{1, 2, 3}, {4, 5, 6}};
    run_over(1, [](inout<adapted> q) {
        get<&adapted::charge>(q[0]) = get<&adapted::charge>(q[1]) * 2;
        get<&adapted::mass>(q[1]) += 1;
        val v = q[1];
        var w = v;
        get<&adapted::kind>(w) = get<&adapted::kind>(v) + 1;
        q[1] = w;
    }, p);
    CHECK(p[0].charge == 12);
    CHECK(p[1].mass == 5);
    CHECK(p[1].kind == 6);
    CHECK(p[1].charge == 6);
}

TEST_CASE("an adapted struct that does not lie as its types say is refused with advice") {
    CHECK(message_of<usage_error>([] { module_of([](inout<crooked> p) { get<&crooked::b>(p[0]) = 1; }); })
              .find("write QUERN_STRUCT in place of BOOST_HANA_ADAPT_STRUCT") != std::string::npos);
}

TEST_CASE("QUERN_STRUCT makes a Boost.Hana struct") {
    namespace hana = boost::hana;
    static_assert(hana::Struct<particle>::value);
    std::string names;
    hana::for_each(hana::accessors<physics::spin>(), [&](auto pair) { names += hana::to<const char*>(hana::first(pair)) + std::string(" "); });
    CHECK(names == "axis rate ");
    CHECK(hana::second(hana::accessors<physics::spin>()[hana::size_c<1>])(physics::spin{{}, 5}) == 5);
}

TEST_CASE("a newtype compares, converts when told to, and is an index") {
    std::vector<particle_id> next{particle_id{2}, particle_id{0}, particle_id{1}};
    std::vector<uint> y(4);
    run_over(1, [](in<particle_id> n, out<uint> r) {
        val first = n[0];
        r[0] = cast<uint>(n[first]);
        r[1] = select(first > n[1], 1u, 0u) + select(first == particle_id{2}, 2u, 0u) + select(first <= n[2], 4u, 0u);
        r[2] = cast<uint>(max(first, n[1]));
        val made = cast<particle_id>(r.size() - 1u);
        r[made] = 5u;
    }, next, y);
    CHECK(y == std::vector<uint>{1, 3, 2, 5});
}

TEST_CASE("the IR of a newtype is the plain integer's") {
    const auto kernel_of = []<class Id>(Id) {
        return ir::print(module_of([](inout<Id> next, val<Id> last, out<float> y) {
            val i = next[last];
            if_(i < last, [&] { y[i] = 1.f; });
            var j = i;
            j = next[j];
            y[j] = select(j == last, 2.f, 3.f);
        }));
    };
    const std::string plain = kernel_of(uint{});
    CHECK(kernel_of(particle_id{}) == plain);
    CHECK(plain.find("u32") != std::string::npos);
}

TEST_CASE("an index may have 8 or 16 bits, of either sign") {
    std::vector<int> y(256);
    std::vector<std::uint8_t> i{200};
    std::vector<std::int16_t> j{3};
    run_over(1, [](inout<int> r, in<std::uint8_t> a, in<std::int16_t> b) {
        r[a[0]] = 1;
        r[b[0]] = 2;
    }, y, i, j);
    CHECK(y[200] == 1);
    CHECK(y[3] == 2);
}

TEST_CASE("several components are assigned at once") {
    std::vector<float4> y{{1, 2, 3, 4}, {5, 6, 7, 8}};
    run_over(1, [](inout<float4> p) {
        p[0].zx() = p[0].xz();
        p[0].wy() += 10;
        var v = p[1];
        v.xyz() = v.zxy();
        v.yw() = make_vec(0.f, v.x());
        p[1] = v;
    }, y);
    CHECK(y == std::vector<float4>{{3, 12, 1, 14}, {7, 0, 6, 7}});
    std::vector<int3> only(1);
    run_over(1, [](out<int3> p) { p[0].zx() = int2{1, 2}; }, only);
    CHECK(only[0] == int3{2, 0, 1});
}

TEST_CASE("small numbers compute in their own width") {
    std::vector<std::int8_t> a{100, -128};
    std::vector<half> h{half(2048), half(1)};
    std::vector<bfloat16> b{bfloat16(1), bfloat16(0.00390625f)};
    run_with(1, half(3), [](inout<std::int8_t> p, inout<half> q, inout<bfloat16> r, val<half> s) {
        p[0] += p[0];
        p[1] = -p[1] - 1;
        q[0] = q[0] + q[1] * 1.0;
        q[1] = s * 2 + 0.5f;
        r[0] = r[0] + r[1];
    }, a, h, b);
    CHECK(a == std::vector<std::int8_t>{-56, 127});
    CHECK(h[0] == half(2048));
    CHECK(h[1] == half(6.5f));
    CHECK(b[0] == bfloat16(1));
}

TEST_CASE("a literal that a small type cannot hold is an error while tracing") {
    const auto refused = [](const auto& f) { return !message_of<usage_error>([&] { module_of(f); }).empty(); };
    CHECK(refused([](inout<half> p) { p[0] = 2049; }));
    CHECK(refused([](inout<half> p) { p[0] = 131072; }));
    CHECK_FALSE(refused([](inout<half> p) { p[0] = 65504; }));
    CHECK_FALSE(refused([](inout<half> p) { p[0] = 0.1; }));
    CHECK(refused([](inout<bfloat16> p) { p[0] = 257; }));
    CHECK(refused([](inout<std::int8_t> p) { p[0] = 128; }));
    CHECK_FALSE(refused([](inout<std::uint16_t> p) { p[0] = 65535; }));
}

TEST_CASE("enumerators of any value select their arm, others run otherwise or nothing") {
    std::vector<phase> e{phase::solid, phase::liquid, phase::gas, static_cast<phase>(3)};
    std::vector<int> y(4), z(4);
    run_over(4, [](in<phase> p, out<int> r, out<int> s) {
        val i = global_id();
        match(p[i], when<phase::solid>([&] { r[i] = 1; }), when<phase::liquid>([&] { r[i] = 2; }), when<phase::gas>([&] { r[i] = 3; }));
        match(p[i], when<phase::solid>([&] { s[i] = 1; }), otherwise([&] { s[i] = 9; }));
    }, e, y, z);
    CHECK(y == std::vector<int>{1, 2, 3, 0});
    CHECK(z == std::vector<int>{1, 9, 9, 9});
}

TEST_CASE("a part of an array's element is reached through the element's name") {
    const std::string message = message_of<usage_error>([] {
        module_of([](inout<float>) {
            local_array<float4> a(3);
            a[1][2] = float4{};
        });
    });
    CHECK(message.find("name the element first: place e = t[i]") != std::string::npos);
    std::vector<float> y(2);
    run_over(1, [](inout<float> r) {
        local_array<float4> a(3);
        a[1] = float4{1, 2, 3, 4};
        place e = a[1];
        e[2] += 5;
        a[1].w() *= 2;
        r[0] = e[r.size()] + a[1].w();
        local_array<std::array<float, 2>> b(2, 2);
        place f = b[1][0];
        f[1] = 7;
        r[1] = f[1];
    }, y);
    CHECK(y == std::vector<float>{16, 7});
}

TEST_CASE("a loop counts in 8 or 16 bits and ends at their limits") {
    std::vector<int> y(3);
    std::vector<std::uint8_t> n{255};
    std::vector<std::int16_t> m{-3};
    run_over(1, [](inout<int> r, in<std::uint8_t> a, in<std::int16_t> b) {
        for_(range(250, a[0]), [&](val<std::uint8_t> i) { r[0] += cast<int>(i); });
        for_(range(b[0], 4, 2), [&](val<std::int16_t> i) { r[1] += cast<int>(i) * 10 + 1; });
        for_(range(0, a[0], 100), [&](val<std::uint8_t>) { r[2] += 1; });
    }, y, n, m);
    CHECK(y == std::vector<int>{250 + 251 + 252 + 253 + 254, (-3 - 1 + 1 + 3) * 10 + 4, 3});
}
