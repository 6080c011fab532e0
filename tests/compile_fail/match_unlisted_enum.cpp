// expect: quern: match needs to know the enumerators: write QUERN_ENUM(your_enum, …)
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };

void body(val<order> e) {
    match(e, when<order::up>([&] {}), when<order::down>([&] {}));
}
