// expect: quern: the body of for_ takes the counter, of the range's type
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> n) {
    for_(range(0u, n), [&](val<int>) {});
}
