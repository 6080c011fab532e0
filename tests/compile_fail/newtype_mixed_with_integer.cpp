// expect: quern: the operands have different element types and nothing converts by itself
#include <quern/quern.hpp>

using namespace quern;
QUERN_NEWTYPE(particle_id, uint);

void body(inout<particle_id> p, val<uint> i) {
    val same = p[0] == i;
    (void)same;
}
