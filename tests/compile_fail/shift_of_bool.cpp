// expect: quern: this operator needs integers: write cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = b << true;
}
