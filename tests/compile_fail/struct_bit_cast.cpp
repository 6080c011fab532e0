// expect: quern: bit_cast takes scalars and vectors: write it for the members of a struct
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);

using namespace quern;

void body(inout<particle> p, out<uint> y) { y[0] = bit_cast<uint>(p[0]); }
