// expect: quern: this condition is a host value, known while tracing: write a plain C++
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = select(true, a, a);
}
