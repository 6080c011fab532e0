// expect: quern: a val never changes: declare it as `var` to assign to it
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = a;
    v = a;
}
