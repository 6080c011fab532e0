// expect: quern: an enum has no arithmetic: write cast<uint>(e)
#include <quern/quern.hpp>

using namespace quern;

enum class order : unsigned { up, down };

void body(val<order> e) {
    val v = e + e;
}
