#include <algorithm>
#include <limits>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

constexpr std::size_t side = 4096;

/// Launched over the inner points, so that every neighbour exists.
kernel stencil_kernel{"stencil", [](out<float> to, in<float> from, val<uint> width) {
    val i = (global_id<2>().y() + 1u) * width + global_id<2>().x() + 1u;
    to[i] = stencil_centre * from[i] +
            stencil_side * ((from[i - 1u] + from[i + 1u]) + (from[i - width] + from[i + width]));
}};

class stencil final : public contest {
public:
    stencil() : from_(side * side), to_(side * side) { fill_uniformly(from_, 0, 1, 5); }

    double work() const override { return 8. * side * side; }
    void reset() override {
        std::fill(to_.begin(), to_.end(), std::numeric_limits<float>::quiet_NaN());
        for (std::size_t i = 0; i < side; ++i)
            to_[i] = to_[(side - 1) * side + i] = to_[i * side] = to_[i * side + side - 1] = 0;
    }
    void run(const loops& l, crew& c) override {
        c.share(side, 64, [&](std::size_t first, std::size_t last) {
            l.stencil(to_.data(), from_.data(), side, first, last);
        });
    }
    void attach(const device& d) override {
        from_buffer_ = from_.on(d);
        to_buffer_ = to_.on(d);
    }
    void run(const device& d) override {
        d.launch(stencil_kernel, over{side - 2, side - 2}, to_buffer_, from_buffer_, side);
    }
    static void prepare(const device& d) { stencil_kernel.prepare(d, over{side - 2, side - 2}); }

    std::vector<float> results() const override { return {to_.begin(), to_.end()}; }
    std::vector<double> expected() const override {
        std::vector<double> e(side * side);
        for (std::size_t y = 1; y + 1 < side; ++y)
            for (std::size_t x = 1; x + 1 < side; ++x) {
                const auto at = [&](std::size_t row, std::size_t column) { return double(from_[row * side + column]); };
                e[y * side + x] = double(stencil_centre) * at(y, x) +
                    double(stencil_side) * (at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x));
            }
        return e;
    }
    tolerance allowed() const override { return {.relative = 1e-6}; }

private:
    array<float> from_, to_;
    buffer<float> from_buffer_, to_buffer_;
};

const register_row<stencil> registered{"stencil 4096^2", unit::bytes};

}  // namespace
}  // namespace bench
