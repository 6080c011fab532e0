// expect: quern: subgroup_add needs integers or floats
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = subgroup_add(b);
}
