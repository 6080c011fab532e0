// expect: quern: an array needs an element type that the language knows
#include <quern/quern.hpp>

using namespace quern;

void body() {
    local_array<char*> t(4);
}
