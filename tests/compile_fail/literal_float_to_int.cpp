// expect: quern: a floating host value never becomes an integer by itself: write an integer, or cast the traced operand with cast<float>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = n + 2.5f;
}
