// expect: quern: a size is a host integer, known while tracing
#include <quern/quern.hpp>

using namespace quern;

void body() {
    workgroup_size(1.5);
}
