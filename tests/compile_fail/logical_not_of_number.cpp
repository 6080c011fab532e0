// expect: quern: ! needs a traced bool: write x == 0
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val b = !n;
}
