// expect: quern: the operands have different element types and nothing converts by itself
#include <quern/quern.hpp>

using namespace quern;

void body(inout<half> p, in<float> x) { p[0] = p[0] + x[0]; }
