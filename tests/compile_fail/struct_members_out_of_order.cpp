// expect: quern: the struct's members are not all listed, or not in the order of their declaration
#include <quern/quern.hpp>

struct particle {
    float mass;
    float charge;
};
QUERN_STRUCT(particle, charge, mass);

void body(quern::in<particle>) {}
quern::kernel k{"k", body};
