// expect: quern: cast converts scalars and vectors: write cast<T>
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = cast<char*>(a);
}
