// The loops that Quern is measured against: the best C++ without intrinsics that was found (by_hand.cpp) and the plain
// scalar form (plain.cpp). Both are compiled by clang++ 19 for this processor, whatever compiles the rest, so that this
// header includes nothing of Quern. A loop works on rows or elements [first, last), which is how threads share it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

struct mandelbrot_view {
    float left, top, pixel;
    std::uint32_t width, limit;
};

constexpr std::size_t blur_radius = 8, blur_taps = 2 * blur_radius + 1;
constexpr float market_rate = 0.02f, market_volatility = 0.30f;
constexpr float nbody_softening = 0.01f;
constexpr float stencil_centre = 0.6f, stencil_side = 0.1f;

constexpr std::size_t multiply_add_chains = 192;

struct loops {
    /// y = a x + y
    void (*saxpy)(float* y, const float* x, float a, std::size_t first, std::size_t last);
    float (*sum)(const float* x, std::size_t first, std::size_t last);
    /// Steps until |z| > 2, for rows of `width` pixels.
    void (*mandelbrot)(std::uint32_t* steps, const mandelbrot_view& view, std::size_t first, std::size_t last);
    /// `bodies` holds x, y, z, mass; `acceleration` x, y, z.
    void (*nbody)(float* acceleration, const float* bodies, std::size_t n, std::size_t first, std::size_t last);
    /// One direction of the blur of a `width` x `height` picture; beyond the edge the edge's pixels repeat.
    void (*blur_rows)(float* to, const float* from, const float* weights, std::size_t width, std::size_t height,
                      std::size_t first, std::size_t last);
    void (*blur_columns)(float* to, const float* from, const float* weights, std::size_t width, std::size_t height,
                         std::size_t first, std::size_t last);
    /// Both directions at once.
    void (*blur)(float* to, const float* from, const float* weights, std::size_t width, std::size_t height,
                 std::size_t first, std::size_t last);
    /// The inner points of a `width` x `width` field; rows 0 and width - 1 are left alone, so are columns.
    void (*stencil)(float* to, const float* from, std::size_t width, std::size_t first, std::size_t last);
    void (*black_scholes)(float* call, float* put, const float* price, const float* strike, const float* years,
                          std::size_t first, std::size_t last);
    /// Rows of c = a b, all n x n.
    void (*matrix_product)(float* c, const float* a, const float* b, std::size_t n, std::size_t first, std::size_t last);

    /// Fused multiply-adds in as many independent chains as keep the units busy, on the 256 floats of `sink`. Null in
    /// the plain form.
    void (*multiply_add)(float* sink, std::size_t rounds);
};

/// Null, with the reason, where they could not be built or do not run on this processor.
const loops* by_hand();
const loops* plain();
const char* why_no_loops();

extern const loops by_hand_loops, plain_loops;

}  // namespace bench
