// expect: quern: bools have no order: write a == b
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = b < b;
}
