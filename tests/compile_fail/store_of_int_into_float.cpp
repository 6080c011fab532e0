// expect: quern: the operands have different element types and nothing converts by itself: write cast<T>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<int> n, val<uint> i) {
    y[i] = n;
}
