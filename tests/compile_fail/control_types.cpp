// compiles
#include <quern/quern.hpp>
#include <array>

using namespace quern;

enum class order : unsigned { up, down };

void body(inout<int> a, in<std::array<int, 3>> b, in<std::int64_t> c, out<std::int64_t> d, out<order> e, val<order> k,
          inout<double> f, inout<bool> g, val<float> h) {
    a[0] = b[0][0];
    val big = c[0] + 1;
    d[0] = big * 2;
    e[0] = k;
    f[0] = cast<double>(h) * 0.5;
    g[0] = h > 1.f;
    static val two = 2.f;
    static val three = float3{1, 2, 3};
    val v = three * two;
    (void)v;
}
