// expect: quern: length needs a floating vector: write abs(x)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = length(a);
}
