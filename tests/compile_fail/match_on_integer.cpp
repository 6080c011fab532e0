// expect: quern: match needs an enum; for integers write if_(…).elif_(…)
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

void body(val<int> n) {
    match(n, when<order::up>([&] {}), otherwise([&] {}));
}
