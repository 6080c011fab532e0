// expect g++: cannot convert
// expect clang: no viable conversion
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    const bool b = a > 1.f;
}
