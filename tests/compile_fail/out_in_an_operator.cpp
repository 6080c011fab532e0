// expect: quern: an out<T> parameter is only written: declare it as inout<T>
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, out<float> o, val<uint> i) {
    y[i] = o[i] + 1.f;
}
