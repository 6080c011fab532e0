// expect: quern: an enum has no arithmetic: write cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;
QUERN_NEWTYPE(particle_id, uint);

void body(inout<particle_id> p) {
    val next = p[0] + p[1];
    (void)next;
}
