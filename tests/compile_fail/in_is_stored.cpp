// expect: quern: an in<T> parameter is only read: declare it as out<T> or inout<T>
#include <quern/quern.hpp>

using namespace quern;

void body(in<float> x, val<uint> i) {
    x[i] = 1.f;
}
