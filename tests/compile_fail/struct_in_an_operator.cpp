// expect: quern: a struct or an array has no operators: write them for its members or elements
#include <quern/quern.hpp>

struct particle {
    float mass;
};
QUERN_STRUCT(particle, mass);

using namespace quern;

void body(inout<particle> p) {
    val same = p[0] == p[1];
    (void)same;
}
