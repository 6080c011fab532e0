// expect: quern: a buffer needs an element type that the language knows
#include <quern/quern.hpp>

using namespace quern;

void body(in<float*> x) {
    val v = x[0];
}
