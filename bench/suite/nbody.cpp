#include <algorithm>
#include <cmath>
#include <limits>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

/// A body is its position, and its mass as the fourth component.
kernel nbody_kernel{"nbody", [](out<float3> acceleration, in<float4> bodies) {
    val i = global_id();
    val me = bodies[i];
    var sum = float3{};
    for_(range(0u, bodies.size()), [&](val<uint> j) {
        val other = bodies[j];
        val away = other.xyz() - me.xyz();
        val inverse = rsqrt(dot(away, away) + nbody_softening);
        sum += other.w() * inverse * inverse * inverse * away;
    });
    acceleration[i] = sum;
}};

constexpr std::size_t n = 2048;
constexpr double flops_per_pair = 20;

class nbody final : public contest {
public:
    nbody() : bodies_(4 * n), acceleration_(3 * n) { fill_uniformly(bodies_, -1, 1, 2); }

    double work() const override { return flops_per_pair * n * n; }
    std::size_t runs() const override { return 4; }
    void reset() override {
        std::fill(acceleration_.begin(), acceleration_.end(), std::numeric_limits<float>::quiet_NaN());
    }
    void run(const loops& l, crew& c) override {
        c.share(n, 128, [&](std::size_t first, std::size_t last) {
            l.nbody(acceleration_.data(), bodies_.data(), n, first, last);
        });
    }
    void attach(const device& d) override {
        bodies_buffer_ = d.wrap(std::span(reinterpret_cast<float4*>(bodies_.data()), n));
        acceleration_buffer_ = d.wrap(std::span(reinterpret_cast<float3*>(acceleration_.data()), n));
    }
    void run(const device& d) override { d.launch(nbody_kernel, over{n}, acceleration_buffer_, bodies_buffer_); }
    static void prepare(const device& d) { nbody_kernel.prepare(d, over{n}); }

    std::vector<float> results() const override { return {acceleration_.begin(), acceleration_.end()}; }
    std::vector<double> expected() const override {
        std::vector<double> e(3 * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double away[3], square = nbody_softening;
                for (std::size_t k = 0; k < 3; ++k) {
                    away[k] = double(bodies_[4 * j + k]) - double(bodies_[4 * i + k]);
                    square += away[k] * away[k];
                }
                for (std::size_t k = 0; k < 3; ++k)
                    e[3 * i + k] += double(bodies_[4 * j + 3]) * away[k] / (square * std::sqrt(square));
            }
        return e;
    }
    /// Masses of both signs cancel: 2048 terms of up to 1000, rounded one by one.
    tolerance allowed() const override { return {.absolute = 2e-2, .relative = 1e-4}; }

private:
    array<float> bodies_, acceleration_;
    buffer<float4> bodies_buffer_;
    buffer<float3> acceleration_buffer_;
};

const register_row<nbody> registered{"nbody 2048", unit::flops};

}  // namespace
}  // namespace bench
