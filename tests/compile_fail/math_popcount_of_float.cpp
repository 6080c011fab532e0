// expect: quern: this function needs an integer argument: write bit_cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = popcount(a);
}
