// expect: quern: var<T> needs a type that the language knows
#include <quern/quern.hpp>

using namespace quern;

void body() {
    var v = 1.0L;
}
