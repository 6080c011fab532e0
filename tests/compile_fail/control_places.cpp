// compiles
#include <quern/quern.hpp>

using namespace quern;

void body(inout<float> y, in<float> x, out<float> o, inout<float3> q, val<int> n, val<uint> i) {
    val v = y[i] + x[i];
    o[i] = v;
    y[i] = x[i];
    y[i] = y[0];
    y[i] += x[i];
    ++y[i];
    place r = y[i];
    r = r + 1.f;
    r += x[i];
    val old = r++;
    place s = o[i];
    s = old;
    local_array<float> t(4);
    t[0] = y[i];
    t[n] -= t[0];
    shared<int> m(16, 17);
    m[i][n] = m[0][1];
    q[i].y() = q[i].x();
    q[i][n] = 2.f;
    val w = q[i].zyx();
    o[0] = w.x();
}
