// expect g++: was not declared in this scope
// expect clang: use of undeclared identifier 'else_'
#include <quern/quern.hpp>

using namespace quern;

void body() {
    else_([&] {});
}
