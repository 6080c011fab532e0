// expect: quern: uniform_load takes a place of shared memory: write uniform_load(tile[0])
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> i) {
    val v = uniform_load(i);
}
