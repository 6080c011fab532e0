// compiles
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a, val<int> n) {
    val v = a * a;
    var w = v;
    w = 2;
    w += a;
    w -= 1;
    ++w;
    w--;
    var u = w;
    w = u;
    u = v;
    val copy = v;
    val<float> k = 2;
    val<float3> p = float3{1, 2, 3};
    val q = p * 2 + p * a;
    var r = q;
    r.x() = a;
    r[1] = 2.f;
    r = 1.f + r;
    auto e = v * copy * k;
    static_assert(!std::is_same_v<decltype(e), val<float>>);
    val m = u + e + r.xy().y();
    val d = ((n + 1) << 2) & 7;
    val f = !((n > 0) & (a < 1.f)) ^ (~d == 3);
    if_(f, [&] { w = m; });
}
