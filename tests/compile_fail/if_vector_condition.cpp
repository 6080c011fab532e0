// expect: quern: a condition is a traced bool
#include <quern/quern.hpp>

using namespace quern;

void body(val<float3> v) {
    if_(v > 0.f, [&] {});
}
