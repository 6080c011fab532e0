// expect: quern: this host value cannot stand for an operand of this type: write a value
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, val<float> a, val<uint> i) {
    y[i] = "text";
}
