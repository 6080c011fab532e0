// expect: quern: an in<T> parameter is only read: declare it as out<T> or inout<T> to write it
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);

using namespace quern;

void body(in<particle> p) { p[0].mass = 1.f; }
