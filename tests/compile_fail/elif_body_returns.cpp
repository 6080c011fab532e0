// expect: quern: the body of a traced statement returns nothing: assign to a var
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    if_(a > 1.f, [&] {}).elif_(a < 0.f, [&] { return a; });
}
