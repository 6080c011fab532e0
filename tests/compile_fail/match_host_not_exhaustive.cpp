// expect: quern: this match is not exhaustive
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

void body() {
    match(order::up, when<order::up>([&] {}));
}
