#include <algorithm>
#include <limits>

#include "array.hpp"
#include "contest.hpp"

namespace bench {
namespace {

using namespace quern;

/// The textbook's: an invocation computes one element, a workgroup shares 16 x 16 tiles of both factors.
kernel product_by_tiles{"product_by_tiles", [](out<float> c, in<float> a, in<float> b, val<uint> depth) {
    constexpr uint tile = 16;
    workgroup_size(tile, tile);
    shared<float> left(tile, tile), right(tile, tile);
    val x = local_id<2>().x(), y = local_id<2>().y();
    val column = global_id<2>().x(), row = global_id<2>().y(), width = extent<2>().x();
    var sum = 0.f;
    for_(range(0u, depth, tile), [&](val<uint> k0) {
        left[y][x] = a[row * depth + k0 + x];
        right[y][x] = b[(k0 + y) * width + column];
        barrier();
        for (uint k = 0; k < tile; ++k) sum += left[y][k] * right[k][x];
        barrier();
    });
    c[row * width + column] = sum;
}};

/// An invocation computes 4 x 4 elements in registers, a workgroup a 64 x 64 tile.
kernel product_in_registers{"product_in_registers", [](out<float> c, in<float> a, in<float> b, val<uint> depth) {
    constexpr uint side = 16, each = 4, tile = side * each, deep = 32;
    workgroup_size(side, side);
    covers(tile, tile);
    shared<float> left(tile, deep), right(deep, tile);
    val x = local_id<2>().x(), y = local_id<2>().y(), width = extent<2>().x();
    val column = workgroup_id<2>().x() * tile + x, row = workgroup_id<2>().y() * tile + y;

    local_array<float> sums(each, each);
    for (uint i = 0; i < each; ++i)
        for (uint j = 0; j < each; ++j) sums[i][j] = 0;
    for_(range(0u, depth, deep), [&](val<uint> k0) {
        for (uint i = 0; i < tile; i += side)
            for (uint k = 0; k < deep; k += side) left[y + i][x + k] = a[(row + i) * depth + k0 + x + k];
        for (uint k = 0; k < deep; k += side)
            for (uint j = 0; j < tile; j += side) right[y + k][x + j] = b[(k0 + y + k) * width + column + j];
        barrier();
        for_(range(0u, deep), [&](val<uint> k) {
            for (uint i = 0; i < each; ++i)
                for (uint j = 0; j < each; ++j) sums[i][j] += left[y + side * i][k] * right[k][x + side * j];
        });
        barrier();
    });
    for (uint i = 0; i < each; ++i)
        for (uint j = 0; j < each; ++j) c[(row + side * i) * width + column + side * j] = sums[i][j];
}};

constexpr std::size_t n = 1024;

class matrix_product : public contest {
public:
    matrix_product() : a_(n * n), b_(n * n), c_(n * n) {
        fill_uniformly(a_, -1, 1, 9);
        fill_uniformly(b_, -1, 1, 10);
    }

    double work() const override { return 2. * n * n * n; }
    void reset() override { std::fill(c_.begin(), c_.end(), std::numeric_limits<float>::quiet_NaN()); }
    void run(const loops& l, crew& c) override {
        c.share(n, n / c.size(), [&](std::size_t first, std::size_t last) {
            l.matrix_product(c_.data(), a_.data(), b_.data(), n, first, last);
        });
    }
    void attach(const device& d) override {
        a_buffer_ = a_.on(d);
        b_buffer_ = b_.on(d);
        c_buffer_ = c_.on(d);
    }

    std::vector<float> results() const override { return {c_.begin(), c_.end()}; }
    std::vector<double> expected() const override {
        std::vector<double> e(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t j = 0; j < n; ++j) e[i * n + j] += double(a_[i * n + k]) * double(b_[k * n + j]);
        return e;
    }
    /// 1024 products below 1, rounded one by one in any order.
    tolerance allowed() const override { return {.absolute = 2e-4}; }

protected:
    array<float> a_, b_, c_;
    buffer<float> a_buffer_, b_buffer_, c_buffer_;
};

class textbook_product final : public matrix_product {
public:
    using matrix_product::run;
    void run(const device& d) override { d.launch(product_by_tiles, over{n, n}, c_buffer_, a_buffer_, b_buffer_, n); }
    static void prepare(const device& d) { product_by_tiles.prepare(d, over{n, n}); }
};

class register_product final : public matrix_product {
public:
    using matrix_product::run;
    void run(const device& d) override { d.launch(product_in_registers, tiles{n, n}, c_buffer_, a_buffer_, b_buffer_, n); }
    static void prepare(const device& d) { product_in_registers.prepare(d, tiles{n, n}); }
};

const register_row<textbook_product> textbook{"matrix 1024^3, 16 x 16 tile", unit::flops};
const register_row<register_product> registers{"matrix 1024^3, registers", unit::flops};

}  // namespace
}  // namespace bench
