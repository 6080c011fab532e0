// expect: quern: ~ needs integers: write !b for a bool
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = ~b;
}
