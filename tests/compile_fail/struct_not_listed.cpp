// expect: a struct with QUERN_STRUCT
#include <quern/quern.hpp>

struct particle {
    float mass;
};

void body(quern::in<particle> p, quern::out<float> y) { y[0] = quern::val<float>(p[0]); }
quern::kernel k{"k", body};
