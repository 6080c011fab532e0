// expect: quern: isnan needs a floating argument
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = isnan(n);
}
