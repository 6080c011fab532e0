// compiles
#include <quern/quern.hpp>

using namespace quern;

void body(val<float> a, val<int> n) {
    val b = cast<int>(a) + n;
    val p = make_vec(a, 1.f, 2);
    val q = cast<int>(p);
    val r = cast<double3>(q);
    val bits = bit_cast<uint>(a);
    val m = select(p > 1.f, p, 0.f);
    val k = select(a > 1.f, 1.f, 0.f);
    val u = sqrt(a) + pow(a, 2) + fma(a, a, 1) + dot(p, p) + length(normalize(cross(p, p))) + min(a, 1.f);
    val t = clamp(a, 0.f, 1.f) + hypot(a, a);
    val w = popcount(bits) + clz(bits) + min(bits, 3);
    val z = mix(p, p, a) + saturate(p) + fract(p) + abs(p);
    val nan = isnan(a) | isinf(a) | signbit(a);
    (void)b, (void)r, (void)m, (void)k, (void)u, (void)t, (void)w, (void)z, (void)nan;
}
