// expect: quern: a floating host value never becomes an integer by itself
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> i) {
    var u = i;
    u = 2.0;
}
