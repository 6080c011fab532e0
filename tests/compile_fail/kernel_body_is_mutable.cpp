// expect: must be callable when const
#include <quern/quern.hpp>

using namespace quern;

kernel k{"k", [n = 0](inout<float>) mutable { ++n; }};
