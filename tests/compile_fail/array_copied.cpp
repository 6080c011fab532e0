// expect g++: use of deleted function
// expect clang: deleted copy constructor of 'local_array<float>'
#include <quern/quern.hpp>

using namespace quern;

void body() {
    local_array<float> t(4);
    auto u = t;
}
