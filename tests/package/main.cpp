// The first program of a user: saxpy, checked. Built against an installed package by run.py.
#include <cstdio>
#include <vector>

#include <quern/quern.hpp>
using namespace quern;

kernel saxpy{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
    val i = global_id();
    y[i] = a * x[i] + y[i];
}};

int main() {
    const std::size_t n = 1000;
    std::vector<float> xs(n), ys(n);
    for (std::size_t i = 0; i < n; ++i) {
        xs[i] = static_cast<float>(i);
        ys[i] = 1.0f;
    }
    device gpu = device::best();
    buffer<float> x = gpu.upload(xs), y = gpu.upload(ys);
    gpu.launch(saxpy, over{n}, y, x, 3.0f);
    const std::vector<float> r = y.download();
    for (std::size_t i = 0; i < n; ++i) {
        if (r[i] != 3.0f * static_cast<float>(i) + 1.0f) {
            std::printf("element %zu is %g\n", i, static_cast<double>(r[i]));
            return 1;
        }
    }
    std::printf("saxpy: %zu elements are right\n", r.size());
}
