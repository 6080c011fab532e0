// expect: quern: this struct holds nothing: leave it out, or make it a member of one that does
#include <quern/quern.hpp>

struct nothing {};
QUERN_STRUCT(nothing);

void body(quern::inout<nothing>) {}
quern::kernel k{"k", body};
