// expect: quern: select chooses scalars and vectors: write if_ and assign to a var for a struct or an array
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);

using namespace quern;

void body(inout<particle> p) { p[0] = select(p[0].mass > 1.f, p[1], p[2]); }
