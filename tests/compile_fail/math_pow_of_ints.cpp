// expect: quern: this function needs floating arguments: write cast<float>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = pow(n, n);
}
