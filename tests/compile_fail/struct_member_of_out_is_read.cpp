// expect: quern: an out<T> parameter is only written: declare it as inout<T> to read it as well
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);

using namespace quern;

void body(out<particle> p) { p[0].mass += 1.f; }
