// expect: returns nothing: write results to an out<T> or inout<T> parameter
#include <quern/quern.hpp>

using namespace quern;

kernel k{"k", [](inout<float>) { return 1; }};
