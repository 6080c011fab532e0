// expect: quern: two arms of this match
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

void body(val<order> e) {
    match(e, otherwise([&] {}), otherwise([&] {}));
}
