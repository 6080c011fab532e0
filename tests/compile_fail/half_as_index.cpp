// expect: quern: an index is an integer scalar
#include <quern/quern.hpp>

using namespace quern;

void body(inout<half> p) { p[p[0]] = 1; }
