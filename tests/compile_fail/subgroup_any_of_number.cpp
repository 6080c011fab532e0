// expect: quern: a condition is a traced bool
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    val v = subgroup_any(n);
}
