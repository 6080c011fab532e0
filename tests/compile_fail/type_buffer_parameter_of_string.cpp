// expect: quern: a buffer needs an element type that the language knows
#include <quern/quern.hpp>
#include <string>

using namespace quern;

void body(in<std::string> x) {
    x[0];
}
