// Prints name and hash of kernels whose operands C++ may evaluate in either order; run.py compares what it prints when
// built by different compilers and run in different processes.
#include <quern/quern.hpp>

#include <cstdio>

#include "tests/support/tracing.hpp"

using namespace quern;

namespace {

enum class order : unsigned { up, down };
QUERN_ENUM(order, up, down);

template <class F>
void print_hash(const char* name, const F& f) {
    const ir::hash128 h = tests::hash_of(f);
    std::printf("%s %016llx%016llx\n", name, static_cast<unsigned long long>(h[0]),
                static_cast<unsigned long long>(h[1]));
}

template <traced A, traced B>
auto weighted(const A& a, const B& b) {
    val x = a;
    val y = b;
    return x * 5 + y * 7;
}

val<float> difference(val<float> a, val<float> b) { return a - b; }

}  // namespace

int main() {
    print_hash("one_load", [](inout<float> y, in<float> x) { y[0] = x[1]; });
    print_hash("sum_of_products", [](inout<float> y, in<float> x) {
        val i = global_id();
        y[i] = x[i] * 2 + y[i] * 3;
    });
    print_hash("product_of_sums", [](inout<float> y, in<float> x) {
        val i = global_id();
        y[i] = (x[i] + y[i + 1]) * (y[i] + x[i + 1]) - (x[i] - y[i]);
    });
    print_hash("mirrored_products", [](inout<float> y, in<float> x, val<uint> i, val<uint> j) {
        y[0] = x[i] * x[j] + x[j] * x[i];
    });
    print_hash("same_load_twice", [](inout<float> y, in<float> x, val<uint> i) { y[0] = x[i] * x[i] + x[i]; });
    print_hash("variables", [](inout<float> y, in<float> x) {
        var a = x[0];
        var b = x[1];
        for_(range(0u, x.size()), [&](val<uint> i) {
            a = a * b + b * x[i];
            b = b - a;
        });
        y[0] = a + b;
    });
    print_hash("call_of_template", [](inout<float> y, in<float> x) {
        val i = global_id();
        y[i] = weighted(x[i], y[i]);
    });
    print_hash("call_of_function", [](inout<float> y, in<float> x) {
        val i = global_id();
        y[i] = difference(x[i] * 2, y[i] + 1);
    });
    print_hash("nested_calls", [](inout<float> y, in<float> x) {
        val i = global_id();
        y[i] = difference(weighted(x[i], y[i + 1]), difference(y[i] * 2, x[i + 1])) + weighted(y[i], x[i] + 1);
    });
    print_hash("values_as_arguments", [](inout<float> y, in<float> x) {
        y[0] = difference(val(x[0] + y[1]), val(x[1] + y[0]));
    });
    print_hash("fma_of_loads", [](inout<float> y, in<float> x, in<float> z) {
        val i = global_id();
        y[i] = fma(x[i], y[i], z[i]) + mix(z[i], x[i], y[i]);
    });
    print_hash("min_max_select", [](inout<float> y, in<float> x) {
        val i = global_id();
        y[i] = min(max(x[i], y[i]), select(x[i + 1] > y[i + 1], x[i + 2], y[i + 2]));
    });
    print_hash("vector_of_loads", [](inout<float3> y, in<float> x) {
        val i = global_id();
        y[i] = make_vec(x[i], x[i + 1], x[2 * i]) * y[i].x() + y[i].zyx();
    });
    print_hash("dot_and_cross", [](inout<float3> y, in<float3> x) {
        val i = global_id();
        y[i] = cross(x[i], y[i]) * dot(x[i], y[i + 1]) + normalize(y[i] - x[i + 1]);
    });
    print_hash("loads_in_indices", [](inout<uint> y, in<uint> x) {
        val i = global_id();
        y[x[i] + y[i]] = y[x[i + 1]] + x[y[i + 1]] * y[y[i]];
    });
    print_hash("positions", [](inout<uint> y) {
        workgroup_size(64);
        y[global_id()] = local_id() + workgroup_id() * workgroup_count() + extent() * y.size();
    });
    print_hash("conditions", [](inout<float> y, in<float> x, val<uint> n) {
        val i = global_id();
        if_((x[i] > y[i]) & (i < n), [&] { y[i] = x[i] - y[i]; })
            .elif_(x[i] == y[i] * 2, [&] { y[i] = x[i + 1] + y[i + 1]; })
            .else_([&] { y[i] = y[i] / x[i]; });
    });
    print_hash("loops", [](inout<float> y, in<uint> n) {
        val i = global_id();
        for_(range(n[i], n[i + 1], n[0] + 1), [&](val<uint> k) { y[k] = y[k + 1] + y[k + 2]; });
        while_([&] { return (y[i] > y[0]) | (y[i + 1] < y[1]); }, [&] { y[i] = y[i] * 0.5f - y[i + 1] * 0.25f; });
    });
    print_hash("match", [](inout<float> y, in<order> e) {
        val i = global_id();
        match(e[i], when<order::up>([&] { y[i] = y[i + 1] - y[i]; }),
              when<order::down>([&] { y[i] = y[i] - y[i + 1]; }));
    });
    print_hash("shared_memory", [](inout<float> y) {
        workgroup_size(64);
        shared<float> a(64);
        shared<float> b(64);
        val l = local_id();
        a[l] = y[l];
        b[l] = y[l + 64];
        barrier();
        y[l] = a[63 - l] * b[l] + b[63 - l] * a[l];
    });
    print_hash("atomics", [](inout<uint> y, in<uint> x) {
        val i = global_id();
        atomic_add(y[x[i] & 15], x[i + 1] + x[i + 2]);
        y[atomic_max(y[0], x[i] * y[i])] = x[i] - y[i];
    });
    print_hash("subgroups", [](inout<uint> y, in<uint> x) {
        workgroup_size(64);
        val l = local_id();
        val sum = subgroup_add(x[l] * y[l]);
        y[l] = sum + subgroup_shuffle(x[l + 1] + y[l + 1], x[l] & 7);
    });
    print_hash("conversions", [](inout<float> y, in<int> n, in<double> d) {
        val i = global_id();
        y[i] = cast<float>(n[i]) * cast<float>(d[i]) + bit_cast<float>(n[i + 1] ^ n[i + 2]);
    });
    print_hash("local_array", [](inout<float> y, in<float> x) {
        local_array<float> t(2, 4);
        for (uint k = 0; k < 4; ++k) {
            t[0][k] = x[k] * y[k];
            t[1][k] = x[k + 1] - y[k + 1];
        }
        y[0] = t[0][0] * t[1][1] + t[0][2] * t[1][3];
    });
}
