// expect: quern: a size is a host integer, known while tracing: write a constant or a tune(…) value
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> n) {
    workgroup_size(n);
}
