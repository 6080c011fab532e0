// expect: quern: this host value cannot stand for an operand of this type
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = b & 1;
}
