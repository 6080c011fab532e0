// expect: a vec has 2, 3 or 4 components
#include <quern/quern.hpp>

using namespace quern;

void body() {
    float v = vec<float, 5>{}[0];
    (void)v;
}
