// compiles
#include <quern/quern.hpp>

using namespace quern;

namespace user {

template <traced_floating X>
auto square(const X& x) {
    val v = x;
    return v * v;
}

val<float> half(val<float> x) { return x * 0.5f; }

auto first(const traced auto& x) {
    val v = x;
    return sqrt(v + 1.f);
}

struct scale {
    float by;
    void operator()(inout<float> y, val<float> a) const {
        val i = global_id();
        y[i] = square(y[i]) + square(a * by) + half(a) + first(y[i]);
    }
};

}  // namespace user

struct program {
    kernel<void(inout<float>, val<float>)> k{"k", user::scale{2.f}};
};
kernel scale{"scale", user::scale{2.f}};
kernel constants{"constants", [](aliased<out<float>> y, in<float> x) {
    workgroup_size(tune("size", {64, 128}));
    require(target().max_workgroup_size >= 64);
    math_mode(math::precise);
    assume(x.size() > 0);
    for (int i = 0; i < 4; ++i) y[i] = x[i];
}};
