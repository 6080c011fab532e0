// expect: quern: fma needs floating arguments: write a * b + c for integers
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = fma(n, n, n);
}
