// expect: quern: this function needs a floating argument: write cast<float>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = sqrt(n);
}
