// expect: quern: this operator needs integers
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = a << 1;
}
