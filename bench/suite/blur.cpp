#include <algorithm>
#include <limits>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

constexpr std::size_t side = 2048;
constexpr int radius = blur_radius;

/// Adds up to 1; falls off to both sides.
constexpr std::array<float, blur_taps> weights = [] {
    std::array<float, blur_taps> w{};
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
        const int height = (radius + 1) * (radius + 1) - k * k;
        sum += w[std::size_t(k + radius)] = float(height * height);
    }
    for (float& weight : w) weight /= sum;
    return w;
}();

/// One direction: `get(i)` is the pixel i steps along, clamped to the n pixels that there are.
template <class Get>
auto blur_along(const traced auto& position, const traced auto& n, const Get& get) {
    val centre = cast<int>(position), last = cast<int>(n) - 1;
    var sum = 0.f;
    for (int k = -radius; k <= radius; ++k) sum += weights[std::size_t(k + radius)] * get(clamp(centre + k, 0, last));
    return val<float>(sum);
}

kernel blur_rows{"blur_rows", [](out<float> to, in<float> from) {
    val x = global_id<2>().x(), y = global_id<2>().y(), width = extent<2>().x();
    to[y * width + x] = blur_along(x, width, [&](const auto& i) { return val<float>(from[y * width + cast<uint>(i)]); });
}};

kernel blur_columns{"blur_columns", [](out<float> to, in<float> from) {
    val x = global_id<2>().x(), y = global_id<2>().y(), width = extent<2>().x(), height = extent<2>().y();
    to[y * width + x] = blur_along(y, height, [&](const auto& i) { return val<float>(from[cast<uint>(i) * width + x]); });
}};

/// Both directions in one launch: a workgroup fetches its tile with a margin into shared memory.
kernel blur_fused{"blur_fused", [](out<float> to, in<float> from) {
    constexpr uint width = 64, height = 32, rows_at_once = 8, margin = radius;
    workgroup_size(width, rows_at_once);
    covers(width, height);
    shared<float> pixels(height + 2 * margin, width + 2 * margin), rows(height + 2 * margin, width);
    val x = local_id<2>().x(), y = local_id<2>().y();
    val size = cast<int>(extent<2>());
    val corner = cast<int>(workgroup_id<2>() * make_vec(width, height)) - radius;

    for (uint dy = 0; dy < height + 2 * margin; dy += rows_at_once) {
        val row = cast<uint>(clamp(corner.y() + cast<int>(y + dy), 0, size.y() - 1)) * extent<2>().x();
        const auto fetch = [&](const traced auto& column) {
            pixels[y + dy][column] = from[row + cast<uint>(clamp(corner.x() + cast<int>(column), 0, size.x() - 1))];
        };
        fetch(x);
        if_(x < 2 * margin, [&] { fetch(x + width); });
    }
    barrier();

    for (uint dy = 0; dy < height + 2 * margin; dy += rows_at_once) {
        var sum = 0.f;
        for (uint k = 0; k < blur_taps; ++k) sum += weights[k] * pixels[y + dy][x + k];
        rows[y + dy][x] = sum;
    }
    barrier();

    for (uint dy = 0; dy < height; dy += rows_at_once) {
        var sum = 0.f;
        for (uint k = 0; k < blur_taps; ++k) sum += weights[k] * rows[y + dy + k][x];
        val at = workgroup_id<2>() * make_vec(width, height) + make_vec(x, y + dy);
        if_((at.x() < extent<2>().x()) & (at.y() < extent<2>().y()), [&] { to[at.y() * extent<2>().x() + at.x()] = sum; });
    }
}};

class blur : public contest {
public:
    blur() : from_(side * side), between_(side * side), to_(side * side) { fill_uniformly(from_, 0, 255, 3); }

    double work() const override { return 4. * double(blur_taps * side * side); }
    void reset() override {
        std::fill(between_.begin(), between_.end(), std::numeric_limits<float>::quiet_NaN());
        std::fill(to_.begin(), to_.end(), std::numeric_limits<float>::quiet_NaN());
    }
    void attach(const device& d) override {
        from_buffer_ = from_.on(d);
        between_buffer_ = between_.on(d);
        to_buffer_ = to_.on(d);
    }
    std::vector<float> results() const override { return {to_.begin(), to_.end()}; }
    std::vector<double> expected() const override {
        const auto along = [](const auto& get) {
            std::vector<double> e;
            for (int y = 0; y < int(side); ++y)
                for (int x = 0; x < int(side); ++x) {
                    double sum = 0;
                    for (int k = -radius; k <= radius; ++k) sum += double(weights[std::size_t(k + radius)]) * get(x, y, k);
                    e.push_back(sum);
                }
            return e;
        };
        const auto at = [](int x, int y) { return std::size_t(y) * side + std::size_t(x); };
        const auto inside = [](int i) { return std::clamp(i, 0, int(side) - 1); };
        const std::vector<double> rows = along([&](int x, int y, int k) { return double(from_[at(inside(x + k), y)]); });
        return along([&](int x, int y, int k) { return rows[at(x, inside(y + k))]; });
    }
    tolerance allowed() const override { return {.relative = 1e-6}; }

protected:
    array<float> from_, between_, to_;
    buffer<float> from_buffer_, between_buffer_, to_buffer_;
};

class blur_in_two_passes final : public blur {
public:
    using contest::run;
    void run(const loops& l, crew& c) override {
        c.share(side, 32, [&](std::size_t first, std::size_t last) {
            l.blur_rows(between_.data(), from_.data(), weights.data(), side, side, first, last);
        });
        c.share(side, 32, [&](std::size_t first, std::size_t last) {
            l.blur_columns(to_.data(), between_.data(), weights.data(), side, side, first, last);
        });
    }
    void run(const device& d) override {
        d.launch(blur_rows, over{side, side}, between_buffer_, from_buffer_);
        d.launch(blur_columns, over{side, side}, to_buffer_, between_buffer_);
    }
    static void prepare(const device& d) {
        blur_rows.prepare(d, over{side, side});
        blur_columns.prepare(d, over{side, side});
    }
};

class blur_at_once final : public blur {
public:
    void run(const loops& l, crew& c) override {
        c.share(side, 128, [&](std::size_t first, std::size_t last) {
            l.blur(to_.data(), from_.data(), weights.data(), side, side, first, last);
        });
    }
    void run(const device& d) override { d.launch(blur_fused, tiles{side, side}, to_buffer_, from_buffer_); }
    static void prepare(const device& d) { blur_fused.prepare(d, tiles{side, side}); }
};

const register_row<blur_in_two_passes> two_passes{"blur 2048^2, two passes", unit::flops};
const register_row<blur_at_once> fused{"blur 2048^2, fused", unit::flops};

}  // namespace
}  // namespace bench
