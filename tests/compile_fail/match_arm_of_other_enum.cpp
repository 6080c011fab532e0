// expect: quern: an arm of this match is of another enum: write when<your_enum::enumerator>
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

enum class other { left };

void body(val<order> e) {
    match(e, when<order::up>([&] {}), when<other::left>([&] {}), otherwise([&] {}));
}
