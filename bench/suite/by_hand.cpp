// The best loops by hand: no intrinsics, whatever restructuring and pragmas make clang do well. What helped is said.
#include "loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace bench {
namespace {

/// Lanes of the widest vector registers; arrays of this size stay in one.
constexpr std::size_t lanes = 16;

void saxpy(float* __restrict y, const float* __restrict x, float a, std::size_t first, std::size_t last) {
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(4)
    for (std::size_t i = first; i < last; ++i) y[i] = a * x[i] + y[i];
}

/// 128 sums in flight: the additions of one element wait for nothing.
float sum(const float* __restrict x, std::size_t first, std::size_t last) {
    constexpr std::size_t width = 8 * lanes;
    float sums[width] = {};
    std::size_t i = first;
    for (; i + width <= last; i += width)
        for (std::size_t k = 0; k < width; ++k) sums[k] += x[i + k];
    float total = 0;
    for (; i < last; ++i) total += x[i];
    for (std::size_t half = width / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
    return total + sums[0];
}

/// 64 pixels step together until the last of them is out: four vectors in flight. Nothing on the loop-carried chain is
/// masked: a point that is out runs on to infinity or NaN, and only its count stops.
void mandelbrot(std::uint32_t* __restrict steps, const mandelbrot_view& view, std::size_t first, std::size_t last) {
    constexpr std::size_t width = 4 * lanes;
    const std::uint32_t limit = view.limit;
    for (std::size_t row = first; row < last; ++row) {
        const float ci = view.top + static_cast<float>(static_cast<std::int32_t>(row)) * view.pixel;
        for (std::size_t column = 0; column < view.width; column += width) {
            float cr[width], x[width], y[width];
            std::int32_t count[width];
            const float left = view.left, pixel = view.pixel;
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(4)
            for (std::size_t k = 0; k < width; ++k) {
                cr[k] = left + static_cast<float>(static_cast<std::int32_t>(column + k)) * pixel;
                x[k] = cr[k];
                y[k] = ci;
                count[k] = 0;
            }
            for (std::uint32_t step = 0; step < limit; ++step) {
                std::int32_t inside = 0;
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(4)
                for (std::size_t k = 0; k < width; ++k) {
                    const float x2 = x[k] * x[k], y2 = y[k] * y[k];
                    const std::int32_t in = x2 + y2 <= 4.f ? 1 : 0;
                    count[k] += in;
                    inside |= in;
                    y[k] = 2.f * x[k] * y[k] + ci;
                    x[k] = x2 - y2 + cr[k];
                }
                if (inside == 0) break;
            }
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(4)
            for (std::size_t k = 0; k < width; ++k)
                steps[row * view.width + column + k] = static_cast<std::uint32_t>(count[k]);
        }
    }
}

/// 1 / sqrt(x) as the library writes it; clang turns it into the estimate and one Newton step.
__attribute__((always_inline)) inline float inverse_root(float x) {
#pragma clang fp reassociate(on) reciprocal(on)
    return 1.f / std::sqrt(x);
}

/// 32 bodies are pulled at once, two vectors in flight.
void nbody(float* __restrict acceleration, const float* __restrict bodies, std::size_t n, std::size_t first,
           std::size_t last) {
    constexpr std::size_t width = 2 * lanes;
    for (std::size_t i = first; i < last; i += width) {
        float x[width], y[width], z[width], ax[width] = {}, ay[width] = {}, az[width] = {};
        for (std::size_t k = 0; k < width; ++k) {
            x[k] = bodies[4 * (i + k)];
            y[k] = bodies[4 * (i + k) + 1];
            z[k] = bodies[4 * (i + k) + 2];
        }
        for (std::size_t j = 0; j < n; ++j) {
            const float ox = bodies[4 * j], oy = bodies[4 * j + 1], oz = bodies[4 * j + 2], mass = bodies[4 * j + 3];
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(2)
            for (std::size_t k = 0; k < width; ++k) {
                const float dx = ox - x[k], dy = oy - y[k], dz = oz - z[k];
                const float inverse = inverse_root(dx * dx + dy * dy + dz * dz + nbody_softening);
                const float pull = mass * inverse * inverse * inverse;
                ax[k] += pull * dx;
                ay[k] += pull * dy;
                az[k] += pull * dz;
            }
        }
        for (std::size_t k = 0; k < width; ++k) {
            acceleration[3 * (i + k)] = ax[k];
            acceleration[3 * (i + k) + 1] = ay[k];
            acceleration[3 * (i + k) + 2] = az[k];
        }
    }
}

std::size_t inside(std::size_t i, std::size_t shift, std::size_t n) {  // i + shift - blur_radius, clamped
    return std::clamp<std::size_t>(i + shift, blur_radius, n - 1 + blur_radius) - blur_radius;
}

/// The edges apart, so that the taps of the rest need no clamp; all taps unrolled, four vectors in flight.
void blur_row(float* __restrict to, const float* __restrict from, const float* __restrict weights, std::size_t width) {
    const auto edge = [&](std::size_t first, std::size_t last) {
        for (std::size_t x = first; x < last; ++x) {
            float sum = 0;
            for (std::size_t k = 0; k < blur_taps; ++k) sum += weights[k] * from[inside(x, k, width)];
            to[x] = sum;
        }
    };
    float w[blur_taps];
    for (std::size_t k = 0; k < blur_taps; ++k) w[k] = weights[k];
    edge(0, blur_radius);
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(4)
    for (std::size_t x = blur_radius; x < width - blur_radius; ++x) {
        float sum = 0;
#pragma clang loop unroll(full)
        for (std::size_t k = 0; k < blur_taps; ++k) sum += w[k] * from[x + k - blur_radius];
        to[x] = sum;
    }
    edge(width - blur_radius, width);
}

void blur_rows(float* __restrict to, const float* __restrict from, const float* __restrict weights, std::size_t width,
               std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t y = first; y < last; ++y) blur_row(to + y * width, from + y * width, weights, width);
}

/// `rows[k]` is the row of tap k. Eight rows of results at once share their taps: 24 loads instead of 136.
constexpr std::size_t rows_at_once = 8;
void blur_eight(float* __restrict to, const float* const* rows, const float* __restrict weights, std::size_t width) {
    const float* __restrict from[blur_taps + rows_at_once - 1];
    for (std::size_t k = 0; k < blur_taps + rows_at_once - 1; ++k) from[k] = rows[k];
    float w[blur_taps];
    for (std::size_t k = 0; k < blur_taps; ++k) w[k] = weights[k];
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(1)
    for (std::size_t x = 0; x < width; ++x) {
        float sums[rows_at_once] = {};
#pragma clang loop unroll(full)
        for (std::size_t k = 0; k < blur_taps + rows_at_once - 1; ++k) {
            const float tap = from[k][x];
#pragma clang loop unroll(full)
            for (std::size_t r = 0; r < rows_at_once; ++r)
                if (k >= r && k - r < blur_taps) sums[r] += w[k - r] * tap;
        }
#pragma clang loop unroll(full)
        for (std::size_t r = 0; r < rows_at_once; ++r) to[r * width + x] = sums[r];
    }
}

void blur_columns(float* __restrict to, const float* __restrict from, const float* __restrict weights,
                  std::size_t width, std::size_t height, std::size_t first, std::size_t last) {
    for (std::size_t y = first; y < last; y += rows_at_once) {
        const float* rows[blur_taps + rows_at_once - 1];
        for (std::size_t k = 0; k < blur_taps + rows_at_once - 1; ++k) rows[k] = from + inside(y, k, height) * width;
        blur_eight(to + y * width, rows, weights, width);
    }
}

/// A ring of blurred rows that stays in the cache: the intermediate picture never reaches memory.
void blur(float* __restrict to, const float* __restrict from, const float* __restrict weights, std::size_t width,
          std::size_t height, std::size_t first, std::size_t last) {
    constexpr std::size_t ring = 32;
    static_assert(ring >= blur_taps + rows_at_once - 1);
    const std::size_t stride = width + lanes;  // off the power of two, which would put all rows into the same sets
    static thread_local std::vector<float> storage;
    storage.resize(ring * stride + lanes);
    float* const blurred = storage.data();
    std::size_t next = first < blur_radius ? 0 : first - blur_radius;  // the first row that is not blurred yet
    for (std::size_t y = first; y < last; y += rows_at_once) {
        for (; next < std::min(y + rows_at_once + blur_radius, height); ++next)
            blur_row(blurred + next % ring * stride, from + next * width, weights, width);
        const float* rows[blur_taps + rows_at_once - 1];
        for (std::size_t k = 0; k < blur_taps + rows_at_once - 1; ++k)
            rows[k] = blurred + inside(y, k, height) % ring * stride;
        blur_eight(to + y * width, rows, weights, width);
    }
}

/// A cache line, which is what the vectoriser does not stream of its own accord.
using line = float __attribute__((vector_size(lanes * sizeof(float))));

/// Streaming stores: the result is larger than the cache, and would be read from memory before it is overwritten.
void stencil(float* __restrict to, const float* __restrict from, std::size_t width, std::size_t first,
             std::size_t last) {
    for (std::size_t y = std::max<std::size_t>(first, 1); y < std::min(last, width - 1); ++y) {
        const float* __restrict row = from + y * width;
        float* __restrict result = to + y * width;
        const auto at = [&](std::size_t x) {
            return stencil_centre * row[x] +
                   stencil_side * ((row[x - 1] + row[x + 1]) + (row[x - width] + row[x + width]));
        };
        std::size_t x = 1;
        for (; reinterpret_cast<std::uintptr_t>(result + x) % sizeof(line) != 0; ++x) result[x] = at(x);
        for (; x + lanes <= width - 1; x += lanes) {
            line block;
#pragma clang loop vectorize(enable) vectorize_width(16)
            for (std::size_t k = 0; k < lanes; ++k) block[k] = at(x + k);
            __builtin_nontemporal_store(block, reinterpret_cast<line*>(result + x));
        }
        for (; x < width - 1; ++x) result[x] = at(x);
    }
}

/// e^x of x < 88: 2^k times a polynomial on [-ln 2 / 2, ln 2 / 2], within 2 ulp; what would be denormal is 1e-38.
__attribute__((always_inline)) inline float exp_by_hand(float argument) {
    const float x = argument > -87.f ? argument : -87.f;
    const float k = std::nearbyint(x * 1.44269504f);
    const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.f;
    return p * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

/// ln x of a normal x > 0: exponent and a polynomial on [sqrt(1/2), sqrt(2)) (Cephes logf).
__attribute__((always_inline)) inline float log_by_hand(float x) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(x) - 0x3f3504f3;
    const float e = static_cast<float>(bits >> 23);
    const float m = std::bit_cast<float>((bits & 0x7fffff) + 0x3f3504f3) - 1.f;
    float p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    const float m2 = m * m;
    return (p * m * m2 - 0.5f * m2 + e * -2.12194440e-4f) + m + e * 0.693359375f;
}

/// The normal distribution (Abramowitz and Stegun 26.2.17, error below 7.5e-8).
__attribute__((always_inline)) inline float normal_by_hand(float d) {
    const float k = 1.f / (1.f + 0.2316419f * std::fabs(d));
    const float tail = 0.39894228f * exp_by_hand(-0.5f * d * d) * k *
        (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0.f ? 1.f - tail : tail;
}

/// Four vectors in flight, although clang calls that not beneficial; its exp and log are inlined.
void black_scholes(float* __restrict call, float* __restrict put, const float* __restrict price,
                   const float* __restrict strike, const float* __restrict years, std::size_t first,
                   std::size_t last) {
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(4)
    for (std::size_t i = first; i < last; ++i) {
        const float s = price[i], x = strike[i], t = years[i], deviation = market_volatility * std::sqrt(t);
        const float d1 = (log_by_hand(s / x) + (market_rate + 0.5f * market_volatility * market_volatility) * t) / deviation;
        const float d2 = d1 - deviation;
        const float n1 = normal_by_hand(d1), n2 = normal_by_hand(d2), discounted = x * exp_by_hand(-market_rate * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.f - n2) - s * (1.f - n1);
    }
}

/// Goto's blocking: b in packed panels of two vectors that stay in L1 a block of k at a time, a in packed strips of
/// eight rows, sixteen sums in registers.
constexpr std::size_t strip = 8, panel = 2 * lanes, deep = 256, tall = 128;

void multiply_block(float* __restrict c, const float* __restrict a, const float* __restrict b, std::size_t n,
                    std::size_t depth) {
    float sums[strip][panel];
    for (std::size_t i = 0; i < strip; ++i)
        for (std::size_t j = 0; j < panel; ++j) sums[i][j] = c[i * n + j];
    for (std::size_t k = 0; k < depth; ++k) {
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(2)
        for (std::size_t j = 0; j < panel; ++j) {
            const float right = b[k * panel + j];
#pragma clang loop unroll(full)
            for (std::size_t i = 0; i < strip; ++i) sums[i][j] += a[k * strip + i] * right;
        }
    }
    for (std::size_t i = 0; i < strip; ++i)
        for (std::size_t j = 0; j < panel; ++j) c[i * n + j] = sums[i][j];
}

void matrix_product(float* __restrict c, const float* __restrict a, const float* __restrict b, std::size_t n,
                    std::size_t first, std::size_t last) {
    static thread_local std::vector<float> packed_b, packed_a;
    packed_b.resize(deep * n);
    packed_a.resize(deep * tall);
    std::fill(c + first * n, c + last * n, 0.f);
    for (std::size_t k0 = 0; k0 < n; k0 += deep) {
        for (std::size_t j0 = 0; j0 < n; j0 += panel)
            for (std::size_t k = 0; k < deep; ++k)
                std::memcpy(&packed_b[j0 * deep + k * panel], b + (k0 + k) * n + j0, panel * sizeof(float));
        for (std::size_t i0 = first; i0 < last; i0 += tall) {
            const std::size_t rows = std::min(tall, last - i0);
            for (std::size_t i = 0; i < rows; i += strip)
                for (std::size_t k = 0; k < deep; ++k)
                    for (std::size_t r = 0; r < strip; ++r)
                        packed_a[i * deep + k * strip + r] = a[(i0 + i + r) * n + k0 + k];
            for (std::size_t j0 = 0; j0 < n; j0 += panel)
                for (std::size_t i = 0; i < rows; i += strip)
                    multiply_block(c + (i0 + i) * n + j0, &packed_a[i * deep], &packed_b[j0 * deep], n, deep);
        }
    }
}

void multiply_add(float* sink, std::size_t rounds) {
    constexpr std::size_t width = multiply_add_chains;
    float sums[width], factor[lanes];
    for (std::size_t k = 0; k < lanes; ++k) factor[k] = sink[k];
    for (std::size_t k = 0; k < width; ++k) sums[k] = sink[k];
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma clang loop vectorize(enable) vectorize_width(16) interleave_count(12)
        for (std::size_t k = 0; k < width; ++k) sums[k] = sums[k] * factor[0] + factor[1];
    }
    for (std::size_t k = 0; k < width; ++k) sink[k] = sums[k];
}

}  // namespace

const loops by_hand_loops{saxpy, sum, mandelbrot, nbody, blur_rows, blur_columns, blur, stencil, black_scholes,
                          matrix_product, multiply_add};

}  // namespace bench
