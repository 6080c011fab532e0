// expect: quern: val<T> needs a type that the language knows: bool, an integer, half, bfloat16, float, double, a vec, std::array, an enum, a struct with QUERN_STRUCT
#include <quern/quern.hpp>

using namespace quern;

void body() {
    val v = "text";
}
