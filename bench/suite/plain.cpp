// The same work as plain scalar loops: what a kernel's body costs one invocation at a time. Vectorisers are off.
#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {
namespace {

void saxpy(float* y, const float* x, float a, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) y[i] = a * x[i] + y[i];
}

float sum(const float* x, std::size_t first, std::size_t last) {
    // In blocks, so that the result is as exact as a reduction of workgroups.
    constexpr std::size_t block = 4096;
    float total = 0;
    for (std::size_t i = first; i < last; i += block) {
        float part = 0;
        for (std::size_t k = i; k < std::min(i + block, last); ++k) part += x[k];
        total += part;
    }
    return total;
}

void mandelbrot(std::uint32_t* steps, const mandelbrot_view& view, std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row)
        for (std::size_t column = 0; column < view.width; ++column) {
            const float cr = view.left + static_cast<float>(column) * view.pixel;
            const float ci = view.top + static_cast<float>(row) * view.pixel;
            float x = cr, y = ci;
            std::uint32_t step = 0;
            for (; step < view.limit && x * x + y * y <= 4.f; ++step) {
                const float next = x * x - y * y + cr;
                y = 2.f * x * y + ci;
                x = next;
            }
            steps[row * view.width + column] = step;
        }
}

void nbody(float* acceleration, const float* bodies, std::size_t n, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        const float* const me = bodies + 4 * i;
        float ax = 0, ay = 0, az = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const float* const other = bodies + 4 * j;
            const float dx = other[0] - me[0], dy = other[1] - me[1], dz = other[2] - me[2];
            const float inverse = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + nbody_softening);
            const float pull = other[3] * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        acceleration[3 * i] = ax;
        acceleration[3 * i + 1] = ay;
        acceleration[3 * i + 2] = az;
    }
}

std::size_t inside(std::size_t i, std::size_t shift, std::size_t n) {  // i + shift - blur_radius, clamped
    return std::clamp<std::size_t>(i + shift, blur_radius, n - 1 + blur_radius) - blur_radius;
}

void blur_rows(float* to, const float* from, const float* weights, std::size_t width, std::size_t, std::size_t first,
               std::size_t last) {
    for (std::size_t y = first; y < last; ++y)
        for (std::size_t x = 0; x < width; ++x) {
            float sum = 0;
            for (std::size_t k = 0; k < blur_taps; ++k) sum += weights[k] * from[y * width + inside(x, k, width)];
            to[y * width + x] = sum;
        }
}

void blur_columns(float* to, const float* from, const float* weights, std::size_t width, std::size_t height,
                  std::size_t first, std::size_t last) {
    for (std::size_t y = first; y < last; ++y)
        for (std::size_t x = 0; x < width; ++x) {
            float sum = 0;
            for (std::size_t k = 0; k < blur_taps; ++k) sum += weights[k] * from[inside(y, k, height) * width + x];
            to[y * width + x] = sum;
        }
}

void blur(float* to, const float* from, const float* weights, std::size_t width, std::size_t height, std::size_t first,
          std::size_t last) {
    const std::size_t above = first < blur_radius ? 0 : first - blur_radius;
    const std::size_t below = std::min(last + blur_radius, height);
    std::vector<float> rows((below - above) * width);
    blur_rows(rows.data() - above * width, from, weights, width, height, above, below);
    blur_columns(to, rows.data() - above * width, weights, width, height, first, last);
}

void stencil(float* to, const float* from, std::size_t width, std::size_t first, std::size_t last) {
    for (std::size_t y = std::max<std::size_t>(first, 1); y < std::min(last, width - 1); ++y)
        for (std::size_t x = 1; x < width - 1; ++x) {
            const float* const at = from + y * width + x;
            to[y * width + x] = stencil_centre * at[0] +
                stencil_side * ((at[-1] + at[1]) + (at[-static_cast<std::ptrdiff_t>(width)] + at[width]));
        }
}

float normal(float d) {
    const float k = 1.f / (1.f + 0.2316419f * std::fabs(d));
    const float tail = 0.39894228f * std::exp(-0.5f * d * d) * k *
        (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0.f ? 1.f - tail : tail;
}

void black_scholes(float* call, float* put, const float* price, const float* strike, const float* years,
                   std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        const float s = price[i], x = strike[i], t = years[i], deviation = market_volatility * std::sqrt(t);
        const float d1 = (std::log(s / x) + (market_rate + 0.5f * market_volatility * market_volatility) * t) / deviation;
        const float d2 = d1 - deviation;
        const float n1 = normal(d1), n2 = normal(d2), discounted = x * std::exp(-market_rate * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.f - n2) - s * (1.f - n1);
    }
}

void matrix_product(float* c, const float* a, const float* b, std::size_t n, std::size_t first, std::size_t last) {
    constexpr std::size_t tile = 16;
    for (std::size_t i0 = first; i0 < last; i0 += tile)
        for (std::size_t j0 = 0; j0 < n; j0 += tile) {
            float sums[tile][tile] = {};
            for (std::size_t k0 = 0; k0 < n; k0 += tile)
                for (std::size_t i = 0; i < tile; ++i)
                    for (std::size_t j = 0; j < tile; ++j)
                        for (std::size_t k = 0; k < tile; ++k)
                            sums[i][j] += a[(i0 + i) * n + k0 + k] * b[(k0 + k) * n + j0 + j];
            for (std::size_t i = 0; i < tile; ++i)
                for (std::size_t j = 0; j < tile; ++j) c[(i0 + i) * n + j0 + j] = sums[i][j];
        }
}

}  // namespace

const loops plain_loops{saxpy, sum, mandelbrot, nbody, blur_rows, blur_columns, blur, stencil, black_scholes,
                        matrix_product, nullptr};

}  // namespace bench
