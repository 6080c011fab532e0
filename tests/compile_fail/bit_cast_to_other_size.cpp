// expect: quern: bit_cast needs types of the same size: write cast<T>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = bit_cast<double>(a);
}
