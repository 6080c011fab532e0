#include "machine.hpp"

#include <algorithm>
#include <cstring>

#include "array.hpp"
#include "crew.hpp"
#include "loops.hpp"
#include "stopwatch.hpp"

namespace bench {
namespace {

constexpr std::size_t floats = std::size_t{32} << 20, multiply_add_rounds = 200'000;

double copy_speed(float* to, const float* from, crew& c) {
    double best = 0;
    for (int attempt = 0; attempt < 7; ++attempt) {
        const stopwatch watch;
        c.share(floats, floats / 32, [&](std::size_t first, std::size_t last) {
            std::memcpy(to + first, from + first, (last - first) * sizeof(float));
        });
        best = std::max(best, 2e-9 * floats * sizeof(float) / watch.seconds());
    }
    return best;
}

double multiply_add_speed(const loops& l, crew& c) {
    double best = 0;
    for (int attempt = 0; attempt < 7; ++attempt) {
        const stopwatch watch;
        c.share(c.size(), 1, [&](std::size_t, std::size_t) {
            float sink[256];
            std::fill(std::begin(sink), std::end(sink), 0.5f);
            l.multiply_add(sink, multiply_add_rounds);
        });
        best = std::max(best, 1e-9 * 2 * multiply_add_chains * multiply_add_rounds * double(c.size()) / watch.seconds());
    }
    return best;
}

}  // namespace

machine measure_machine(unsigned threads) {
    crew c(threads);
    machine m;
    {
        const array<float> from(floats), to(floats);
        std::fill(from.begin(), from.end(), 1.f);
        m.copy_gb_s = copy_speed(to.data(), from.data(), c);
    }
    {
        const quern::device d = quern::device::cpu({.threads = 0});
        const quern::buffer<float> from = d.make_buffer<float>(floats), to = d.make_buffer<float>(floats);
        m.device_copy_gb_s = copy_speed(to.mapped().data(), from.mapped().data(), c);
    }
    if (by_hand() != nullptr) m.multiply_add_gflop_s = multiply_add_speed(*by_hand(), c);
    return m;
}

}  // namespace bench
