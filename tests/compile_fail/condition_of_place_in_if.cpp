// expect: quern: a traced value is not known while C++ runs: write if_(condition, [&] { … }), while_ or select
#include <quern/quern.hpp>

using namespace quern;

void body(in<bool> f) {
    if (f[0]) return;
}
