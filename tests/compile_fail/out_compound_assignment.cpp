// expect: quern: an out<T> parameter is only written: declare it as inout<T>
#include <quern/quern.hpp>

using namespace quern;

void body(out<float> o, val<uint> i) {
    o[i] += 1.f;
}
