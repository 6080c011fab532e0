// expect: quern: a floating host value never becomes an integer by itself: write an integer
#include <quern/quern.hpp>

using namespace quern;

void body(inout<int> y, val<uint> i) {
    y[i] = 1.5f;
}
