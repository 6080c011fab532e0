// expect: quern: two arms of this match are for the same enumerator: remove one
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

void body(val<order> e) {
    match(e, when<order::up>([&] {}), when<order::up>([&] {}), when<order::down>([&] {}));
}
