// expect: quern: an out<T> parameter is only written: declare it as inout<T>
#include <quern/quern.hpp>

using namespace quern;

void body(out<uint> f) {
    atomic_add(f[0], 1u);
}
