#include <algorithm>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

kernel saxpy_kernel{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
    val i = global_id();
    y[i] = a * x[i] + y[i];
}};

class saxpy final : public contest {
public:
    saxpy(std::size_t n, std::size_t runs) : n_(n), runs_(runs), x_(n), y_(n) { fill_uniformly(x_, 0, 1, 1); }

    double work() const override { return 12. * static_cast<double>(n_); }
    std::size_t runs() const override { return runs_; }
    void reset() override { std::copy(x_.begin(), x_.end(), y_.begin()); }
    void run(const loops& l, crew& c) override {
        c.share(n_, std::max<std::size_t>(n_ / 64, n_ / c.size() / 4 & ~std::size_t{63}),
                [&](std::size_t first, std::size_t last) { l.saxpy(y_.data(), x_.data(), factor, first, last); });
    }
    void attach(const device& d) override {
        x_buffer_ = x_.on(d);
        y_buffer_ = y_.on(d);
    }
    void run(const device& d) override { d.launch(saxpy_kernel, over{n_}, y_buffer_, x_buffer_, factor); }
    static void prepare(const device& d) { saxpy_kernel.prepare(d, over{1}); }

    std::vector<float> results() const override { return {y_.begin(), y_.end()}; }
    std::vector<double> expected() const override {
        std::vector<double> e(n_);
        std::transform(x_.begin(), x_.end(), e.begin(), [](float x) { return double(factor) * x + x; });
        return e;
    }
    tolerance allowed() const override { return {.relative = 2e-7}; }

private:
    static constexpr float factor = 1e-3f;
    std::size_t n_, runs_;
    array<float> x_, y_;
    buffer<float> x_buffer_, y_buffer_;
};

const register_row<saxpy> in_memory{"saxpy 32 Mi", unit::bytes, std::size_t{32} << 20, std::size_t{1}};
const register_row<saxpy> in_cache{"saxpy 64 Ki", unit::bytes, std::size_t{64} << 10, std::size_t{500}};

}  // namespace
}  // namespace bench
