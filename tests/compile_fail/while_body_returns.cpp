// expect: quern: the body of a traced statement returns nothing: assign to a var
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    while_([&] { return a > 1.f; }, [&] { return 1; });
}
