// compiles
#include <quern/quern.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

using namespace quern;

using namespace std;

kernel k{"k", [](inout<float> y, in<float3> p, inout<uint> c, val<float> a, val<int> n) {
    val i = global_id<2>();
    val b = min(a, a) + max(a, 1.f) + clamp(a, 0.f, 1.f) + clamp(a, a, a) + abs(a) + sqrt(a) + pow(a, 2.f);
    val d = hypot(a, a) + fmod(a, 2.f) + round(a) + floor(a) + exp(a) + log(a) + copysign(a, -1.f) + remainder(a, a);
    val f = isnan(a) | isinf(a) | signbit(a) | isfinite(a);
    y[i.x()] = select(f, b, d) + dot(p[0], p[0]) + length(normalize(p[0])) + fdim(a, b);
    y[i.y()] = nextafter(a, b) + fma(a, a, 1.f);
    val bits = bit_cast<uint>(a);
    c[popcount(bits)] = rotl(8u, 1) + bits;
    atomic_add(c[0], 1u);
    atomic_store(c[1], 1u);
    atomic_exchange(c[2], atomic_load(c[1]));
    var v = a;
    for_(range(0, n), [&](val<int> j) { v += cast<float>(j); });
    y[1] = v + std::max(1.f, 2.f) + min(1.f, 2.f);
}};
