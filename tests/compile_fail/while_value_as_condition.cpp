// expect: quern: a while_ condition is evaluated again before every round: write while_([&] { return condition; }, [&] { … })
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    while_(a > 1.f, [&] {});
}
