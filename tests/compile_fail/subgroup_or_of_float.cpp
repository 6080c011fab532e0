// expect: quern: subgroup_or_ needs integers
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = subgroup_or_(a);
}
