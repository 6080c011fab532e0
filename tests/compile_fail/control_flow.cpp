// compiles
#include <quern/quern.hpp>

using namespace quern;

enum class order { up, down };
QUERN_ENUM(order, up, down);

constexpr int n_known = 4;

void body(inout<float> y, val<float> a, val<uint> n, val<order> e) {
    if_(a > 1.f, [&] { y[0] = 1.f; }).elif_(a < 0.f, [&] { y[0] = 2.f; }).else_([&] { y[0] = 3.f; });
    for_(range(0u, n), [&](val<uint> i) { y[i] = 0.f; });
    for_(range(n, 0), [&](auto i) { y[i] = 0.f; });
    for_(range(0, 10, 3), [&](const val<int>& i) { y[i] = 0.f; });
    var err = a;
    while_([&] { return err > 1e-6f; }, [&] {
        err *= 0.5f;
        if_(err == 1.f, [] { break_(); }).else_([] { continue_(); });
    });
    val ok = and_then(n > 3, [&] { return y[3] > 0.f; });
    val other = or_else(ok, [&] { return y[2] > 0.f; });
    if_(other, [] { return_(); });
    match(e, when<order::up>([&] { y[0] = 1.f; }), when<order::down>([&] { y[0] = 2.f; }));
    match(e, when<order::up>([&] { y[0] = 1.f; }), otherwise([&] {}));
    match(order::down, when<order::up>([&] { y[0] = 1.f; }), when<order::down>([&] {}));
    if (n_known > 3) y[1] = select(a > 2.f, a, 1);
}
