// expect g++: no matching function for call
// expect clang: no matching constructor
#include <quern/quern.hpp>

using namespace quern;

void body(val<uint> n) {
    shared<float> t(n);
}
