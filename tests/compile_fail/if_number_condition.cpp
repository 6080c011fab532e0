// expect: quern: a condition is a traced bool: write a comparison such as x != 0
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    if_(n, [&] {});
}
