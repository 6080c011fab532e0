// expect: quern: var<T> needs a type that the language knows
#include <quern/quern.hpp>
#include <vector>

using namespace quern;

void body() {
    var v = std::vector<int>{1};
}
