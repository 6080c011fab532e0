#include <algorithm>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

kernel mandelbrot_kernel{"mandelbrot", [](out<uint> steps, val<float2> corner, val<float> pixel, val<uint> limit) {
    val at = global_id<2>();
    val c = corner + cast<float>(at) * pixel;
    var x = c.x(), y = c.y();
    var step = 0u;
    while_([&] { return (step < limit) & (x * x + y * y <= 4.f); }, [&] {
        val next = x * x - y * y + c.x();
        y = 2.f * x * y + c.y();
        x = next;
        ++step;
    });
    steps[at.y() * extent<2>().x() + at.x()] = step;
}};

constexpr std::size_t width = 1024, height = 768;
constexpr mandelbrot_view view{-2.25f, -1.2f, 3.2f / width, width, 256};

class mandelbrot final : public contest {
public:
    mandelbrot() : steps_(width * height) {
        double sum = 0;
        for (const double steps : expected()) sum += steps;
        work_ = 8 * sum;
    }

    double work() const override { return work_; }
    void reset() override { std::fill(steps_.begin(), steps_.end(), ~0u); }
    void run(const loops& l, crew& c) override {
        c.share(height, 8, [&](std::size_t first, std::size_t last) { l.mandelbrot(steps_.data(), view, first, last); });
    }
    void attach(const device& d) override { buffer_ = steps_.on(d); }
    void run(const device& d) override {
        d.launch(mandelbrot_kernel, over{width, height}, buffer_, float2{view.left, view.top}, view.pixel, view.limit);
    }
    static void prepare(const device& d) { mandelbrot_kernel.prepare(d, over{width, height}); }

    std::vector<float> results() const override { return {steps_.begin(), steps_.end()}; }
    std::vector<double> expected() const override {
        std::vector<double> counts;
        for (std::size_t row = 0; row < height; ++row)
            for (std::size_t column = 0; column < width; ++column) {
                const double cr = double(view.left) + double(view.pixel) * double(column);
                const double ci = double(view.top) + double(view.pixel) * double(row);
                double x = cr, y = ci;
                uint step = 0;
                for (; step < view.limit && x * x + y * y <= 4; ++step) {
                    const double next = x * x - y * y + cr;
                    y = 2 * x * y + ci;
                    x = next;
                }
                counts.push_back(step);
            }
        return counts;
    }
    /// The orbit is chaotic near the set's edge: rounding moves some counts there.
    tolerance allowed() const override { return {.absolute = 0, .exceptions = 0.01}; }

private:
    array<uint> steps_;
    buffer<uint> buffer_;
    double work_;
};

const register_row<mandelbrot> registered{"mandelbrot 1024 x 768", unit::flops};

}  // namespace
}  // namespace bench
