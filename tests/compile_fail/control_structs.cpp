// compiles
#include <boost/hana.hpp>
#include <quern/quern.hpp>

namespace user {

enum class phase : std::uint8_t { solid, liquid };
QUERN_ENUM(phase, solid, liquid);
QUERN_NEWTYPE(particle_id, quern::uint);

template <class T>
struct pair_of {
    T a, b;
};
using halves = pair_of<quern::half>;
QUERN_STRUCT(halves, a, b);

struct particle {
    quern::float3 position;
    double mass;
    std::array<halves, 2> parts;
    phase state;
    particle_id next;
    struct tag {
    } mark;
};
QUERN_STRUCT(particle, position, mass, parts, state, next, mark);


using namespace quern;

kernel step{"step", [](inout<particle> p, val<particle> given, val<float> dt) {
    val i = global_id();
    p[i].position = p[i].position + dt * given.position;
    p[i].position.xy() = p[p[i].next].position.yx();
    p[i].parts[1].a = given.parts[0].b * 2 + p[i].parts[i].a;
    var v = p[i];
    v.mass += cast<double>(dt) * given.mass;
    v.state = phase::liquid;
    p[i] = v;
    place r = p[i].parts[0];
    r.a = r.b;
    val m = get<&particle::mass>(p[i]);
    get<&particle::mass>(v) = m;
    match(p[i].state, when<phase::solid>([&] { p[i] = particle{}; }), when<phase::liquid>([&] { p[i] = given; }));
}};

}  // namespace user
