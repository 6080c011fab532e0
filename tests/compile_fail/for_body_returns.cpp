// expect: quern: the body of a traced statement returns nothing: assign to a var
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> n) {
    for_(range(0u, n), [&](val<uint> i) { return i; });
}
