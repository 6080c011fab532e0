// expect: quern: the operands have different element types and nothing converts by itself: write cast<T>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a, val<int> n) {
    val v = n >> a;
}
