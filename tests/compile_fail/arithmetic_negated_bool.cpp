// expect: quern: bool has no arithmetic: write select(b, 1, 0), or & | ^ for logic
#include <quern/quern.hpp>

using namespace quern;

void body(val<bool> b) {
    val v = -b;
}
