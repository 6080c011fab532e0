// expect: quern: the struct's members are not all listed, or not in the order of their declaration
#include <boost/hana/adapt_struct.hpp>
#include <quern/quern.hpp>

struct particle {
    float mass;
    float charge;
};
BOOST_HANA_ADAPT_STRUCT(particle, mass);

void body(quern::in<particle>) {}
quern::kernel k{"k", body};
