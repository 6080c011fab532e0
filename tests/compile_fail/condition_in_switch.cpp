// expect g++: switch quantity not an integer
// expect clang: statement requires expression of integer type
#include <quern/quern.hpp>

using namespace quern;

void body(val<int> n) {
    switch (n) {
        case 1: return;
    }
}
