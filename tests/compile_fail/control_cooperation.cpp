// compiles
#include <quern/quern.hpp>

using namespace quern;

void body(inout<uint> c, inout<float> f, in<uint> x, out<uint> o) {
    workgroup_size(64);
    shared<uint> t(64);
    val l = local_id();
    t[l] = 0u;
    barrier();
    fence(scope::device);
    val first = uniform_load(t[0]);
    val old = atomic_add(c[0], first);
    atomic_add(f[0], 1.f);
    atomic_max(t[1], 3);
    val seen = atomic_compare_exchange(c[1], old, 2);
    atomic_store(o[0], seen);
    val read = atomic_load(x[0]);
    val sum = subgroup_add(read + l) + subgroup_shuffle_xor(l, 1) + subgroup_broadcast(l, 0u);
    val any = subgroup_any(sum > 3);
    c[2] = subgroup_ballot(any).x();
}
