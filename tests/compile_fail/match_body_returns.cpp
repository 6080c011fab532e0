// expect: quern: the body of a traced statement returns nothing: assign to a var
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

void body(val<order> e) {
    match(e, when<order::up>([&] { return 1; }), when<order::down>([&] {}));
}
