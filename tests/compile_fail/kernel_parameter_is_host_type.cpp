// expect: parameters of a kernel are in<T>, out<T>, inout<T>, aliased<…> of these, or val<T>
#include <quern/quern.hpp>

using namespace quern;

kernel k{"k", [](float) {}};
