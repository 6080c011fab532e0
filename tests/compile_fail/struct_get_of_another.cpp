// expect: quern: this member belongs to another struct
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);
struct spring {
    float length;
};
QUERN_STRUCT(spring, length);

using namespace quern;

void body(inout<particle> p) { get<&spring::length>(p[0]) = 1.f; }
