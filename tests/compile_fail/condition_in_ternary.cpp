// expect: quern: a traced value is not known while C++ runs: write if_(condition, [&] { … }), while_ or select
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    const float k = a > 1.f ? 1.f : 2.f;
    (void)k;
}
