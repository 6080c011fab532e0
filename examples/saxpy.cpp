// The smallest whole program: y = a * x + y. A kernel is C++; the device runs it once for every element.
#include <quern/quern.hpp>

#include <vector>

#include "support/program.hpp"

using namespace quern;

kernel saxpy{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
    val i = global_id();
    y[i] = a * x[i] + y[i];
}};

int main(int argc, char** argv) {
    std::size_t n = 1 << 24;
    examples::program program{"saxpy", "y = a * x + y, the smallest whole program"};
    program.option("--size", n, "elements");
    return program.run(argc, argv, saxpy, [&](const device& gpu) -> examples::outcome {
        // Small integers: exact, whether or not the device fuses the multiplication and the addition.
        const float a = 3;
        std::vector<float> xs(n), ys(n), expected(n);
        for (std::size_t i = 0; i < n; ++i) {
            xs[i] = static_cast<float>(i % 1009);
            ys[i] = static_cast<float>(i % 31);
            expected[i] = a * xs[i] + ys[i];
        }

        const buffer<float> x = gpu.upload(xs), y = gpu.upload(ys);
        saxpy.prepare(gpu);  // compiles now rather than at the first launch, so that only the launch is timed

        const examples::stopwatch watch;
        gpu.launch(saxpy, over{n}, y, x, a);  // returns at once; work on a device happens in order
        gpu.synchronize();
        const double ms = watch.ms();

        return {std::to_string(n) + " elements", ms, "the same loop in C++, exactly",
                examples::find_difference(y.download(), expected)};
    });
}
