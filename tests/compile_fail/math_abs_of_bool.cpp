// expect: quern: bool has no arithmetic
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = abs(b);
}
