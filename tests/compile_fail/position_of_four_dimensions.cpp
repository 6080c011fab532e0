// expect: quern: a position has 1, 2 or 3 dimensions
#include <quern/quern.hpp>

using namespace quern;

void body() {
    val v = global_id<4>();
}
