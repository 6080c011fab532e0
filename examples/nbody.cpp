// Gravity between all pairs of bodies, several steps long: vectors by name, and state that stays on the device.
#include <quern/quern.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "support/program.hpp"

using namespace quern;

constexpr float softening = 0.01f;  // keeps close encounters finite; added to the squared distance

/// One step of time dt. A body is its position, and its mass as the fourth component.
kernel nbody{"nbody", [](out<float4> moved, inout<float3> velocity, in<float4> bodies, val<float> dt) {
    val i = global_id();
    val me = bodies[i];

    var acceleration = float3{};
    for_(range(0u, bodies.size()), [&](val<uint> j) {
        val other = bodies[j];
        val away = other.xyz() - me.xyz();
        val inverse = rsqrt(dot(away, away) + softening);
        acceleration += other.w() * inverse * inverse * inverse * away;
    });

    val v = velocity[i] + dt * acceleration;
    val position = me.xyz() + dt * v;
    velocity[i] = v;
    moved[i] = make_vec(position.x(), position.y(), position.z(), me.w());
}};

/// The same in double.
struct simulation {
    struct body {
        double position[3], velocity[3], mass;
    };
    std::vector<body> bodies;

    static double squared_distance(const body& a, const body& b) {
        double sum = softening;
        for (int k = 0; k < 3; ++k) sum += (a.position[k] - b.position[k]) * (a.position[k] - b.position[k]);
        return sum;
    }
    void step(double dt) {
        for (body& a : bodies)
            for (const body& b : bodies) {
                const double d2 = squared_distance(a, b), pull = dt * b.mass / (d2 * std::sqrt(d2));
                for (int k = 0; k < 3; ++k) a.velocity[k] += pull * (b.position[k] - a.position[k]);
            }
        for (body& a : bodies)
            for (int k = 0; k < 3; ++k) a.position[k] += dt * a.velocity[k];
    }
    double energy() const {
        double sum = 0;
        for (const body& a : bodies) {
            for (const double v : a.velocity) sum += 0.5 * a.mass * v * v;
            for (const body& b : bodies)
                if (&a < &b) sum -= a.mass * b.mass / std::sqrt(squared_distance(a, b));
        }
        return sum;
    }
};

int main(int argc, char** argv) {
    std::size_t n = 4096, steps = 10;
    examples::program program{"nbody", "gravity between all pairs of bodies"};
    program.option("--size", n, "bodies").option("--steps", steps, "steps of time");
    return program.run(argc, argv, nbody, [&](const device& gpu) -> examples::outcome {
        constexpr float dt = 0.002f;
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        std::vector<float4> bodies(n);
        std::vector<float3> velocities(n);
        simulation expected;
        for (std::size_t i = 0; i < n; ++i) {
            bodies[i] = {normal(random), normal(random), normal(random), 1.f / static_cast<float>(n)};
            velocities[i] = {-0.3f * bodies[i].y(), 0.3f * bodies[i].x(), 0.f};  // a slow rotation
            const float4& p = bodies[i];
            const float3& v = velocities[i];
            expected.bodies.push_back({{p.x(), p.y(), p.z()}, {v.x(), v.y(), v.z()}, p.w()});
        }
        const double energy = expected.energy();

        buffer<float4> now = gpu.upload(bodies), next = gpu.make_buffer<float4>(n);
        const buffer<float3> velocity = gpu.upload(velocities);
        nbody.prepare(gpu);
        const examples::stopwatch watch;
        for (std::size_t step = 0; step < steps; ++step) {
            gpu.launch(nbody, over{n}, next, velocity, now, dt);
            std::swap(now, next);
        }
        gpu.synchronize();
        const double ms = watch.ms();

        for (std::size_t step = 0; step < steps; ++step) expected.step(dt);
        const std::vector<float4> moved = now.download();
        std::vector<float> got;
        std::vector<double> wanted;
        simulation simulated = expected;
        velocity.download(std::span(velocities));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                got.push_back(moved[i][k]);
                wanted.push_back(expected.bodies[i].position[k]);
                simulated.bodies[i].position[k] = moved[i][k];
                simulated.bodies[i].velocity[k] = velocities[i][k];
            }
        std::string mistake = examples::find_difference(got, wanted, 1e-5);
        const double drift = std::abs(simulated.energy() / energy - 1);
        if (mistake.empty() && !(drift < 1e-3)) mistake = "the energy drifts by " + std::to_string(drift);
        return {std::to_string(n) + " bodies, " + std::to_string(steps) + " steps", ms,
                "a double loop in double, and energy", mistake};
    });
}
