// expect: quern: val<T> needs a type that the language knows: bool, an integer, float, double, a vec, std::array, an enum
#include <quern/quern.hpp>

using namespace quern;

void body() {
    val v = 'c';
}
