// expect: quern: this host value cannot stand for an operand of this type: write a value of the traced operand's type
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a) {
    val v = a + true;
}
