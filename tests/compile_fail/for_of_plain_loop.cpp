// expect: quern: the count of a range is not known while C++ runs: write for_(range(0u, n)
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> n) {
    for (auto i : range(0u, n)) (void)i;
}
