// expect: quern: an in<T> parameter is only read: declare it as out<T> or inout<T>
#include <quern/quern.hpp>

using namespace quern;

void body(in<uint> f) {
    atomic_add(f[0], 1u);
}
