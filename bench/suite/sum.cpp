#include <algorithm>
#include <limits>
#include <numeric>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

constexpr uint group_size = 256;
constexpr std::size_t n = std::size_t{64} << 20, group_count = 512;

/// Every workgroup adds up one stretch of x; its invocations combine what they found in shared memory.
kernel sum_kernel{"sum", [](out<float> sums, in<float> x) {
    workgroup_size(group_size);
    shared<float> partial(group_size);
    val me = local_id();
    val stretch = (x.size() + workgroup_count() - 1u) / workgroup_count();
    val first = workgroup_id() * stretch, last = min(first + stretch, x.size());

    var sum = 0.f;
    for_(range(first + me, last, group_size), [&](val<uint> i) { sum += x[i]; });
    partial[me] = sum;
    barrier();
    for (uint width = group_size / 2; width > 0; width /= 2) {
        if_(me < width, [&] { partial[me] += partial[me + width]; });
        barrier();
    }
    if_(me == 0, [&] { sums[workgroup_id()] = partial[0]; });
}};

class sum final : public contest {
public:
    sum() : x_(n), partial_(group_count), total_(1) { fill_uniformly(x_, 0, 1, 4); }

    double work() const override { return 4. * n; }
    void reset() override {
        std::fill(partial_.begin(), partial_.end(), std::numeric_limits<float>::quiet_NaN());
        total_[0] = std::numeric_limits<float>::quiet_NaN();
    }
    void run(const loops& l, crew& c) override {
        constexpr std::size_t stretch = n / group_count;
        c.share(group_count, 8, [&](std::size_t first, std::size_t last) {
            for (std::size_t g = first; g < last; ++g) partial_[g] = l.sum(x_.data(), g * stretch, (g + 1) * stretch);
        });
        total_[0] = std::accumulate(partial_.begin(), partial_.end(), 0.f);
    }
    void attach(const device& d) override {
        x_buffer_ = x_.on(d);
        partial_buffer_ = partial_.on(d);
        total_buffer_ = total_.on(d);
    }
    void run(const device& d) override {
        d.launch(sum_kernel, groups{group_count}, partial_buffer_, x_buffer_);
        d.launch(sum_kernel, groups{1}, total_buffer_, partial_buffer_);
    }
    static void prepare(const device& d) { sum_kernel.prepare(d, groups{group_count}); }

    std::vector<float> results() const override { return {total_[0]}; }
    std::vector<double> expected() const override { return {std::accumulate(x_.begin(), x_.end(), 0.)}; }
    /// 2^17 elements a workgroup in at most 2^12 additions one after the other.
    tolerance allowed() const override { return {.relative = 1e-5}; }

private:
    array<float> x_, partial_, total_;
    buffer<float> x_buffer_, partial_buffer_, total_buffer_;
};

const register_row<sum> registered{"sum 64 Mi", unit::bytes};

}  // namespace
}  // namespace bench
