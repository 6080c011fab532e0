// expect: quern: bools have no order
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = min(b, b);
}
