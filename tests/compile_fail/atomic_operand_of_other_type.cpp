// expect: quern: the operands have different element types and nothing converts by itself: write cast<T>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(inout<uint> f, val<int> n) {
    atomic_add(f[0], n);
}
