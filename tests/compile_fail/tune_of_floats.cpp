// expect g++: no matching function for call
// expect clang: no matching function for call to 'tune'
#include <quern/quern.hpp>

using namespace quern;

void body() {
    const float t = tune("t", {1.f, 2.f});
    (void)t;
}
