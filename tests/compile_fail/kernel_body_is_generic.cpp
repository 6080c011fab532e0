// expect: a kernel's body is a lambda, a function object with one call operator, or a function
#include <quern/quern.hpp>

using namespace quern;

kernel k{"k", [](auto) {}};
