// expect: quern: this function needs a floating argument
#include <quern/quern.hpp>

using namespace quern;

void body(inout<int> p) { p[0] = ldexp(p[0], 2); }
