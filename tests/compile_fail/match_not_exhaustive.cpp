// expect: quern: this match is not exhaustive: add a when<…> for every enumerator, or an otherwise
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

void body(val<order> e) {
    match(e, when<order::up>([&] {}));
}
