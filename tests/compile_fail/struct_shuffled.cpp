// expect: quern: lanes exchange scalars and vectors: write it for the members of a struct
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);

using namespace quern;

void body(inout<particle> p) { p[0] = subgroup_shuffle_xor(p[0], 1u); }
