// expect: quern: bit operations need integers or bools: write bit_cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = a & a;
}
