// expect: quern: the operands have different element types and nothing converts by itself: write cast<T>(e)
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n, val<std::int64_t> m) {
    val v = n | m;
}
