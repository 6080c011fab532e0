// Blurs your picture. The filter is separable: a workgroup fetches a tile with its margin into shared memory, blurs it
// along rows, then along columns. The weights are C++ constants and become constants of the kernel.
#include <quern/quern.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "support/picture.hpp"
#include "support/program.hpp"

using namespace quern;

constexpr uint tile = 16, radius = 8, taps = 2 * radius + 1;
static_assert(2 * radius == tile);  // so that a tile with its margin is 2 x 2 tiles

/// Close to a Gaussian: (1 - (distance / (radius + 1))^2)^2, scaled so that the weights add up to 1.
constexpr std::array<float, taps> weights = [] {
    std::array<float, taps> w{};
    float sum = 0;
    for (int k = 0; k < int(taps); ++k) {
        const int distance = k - int(radius), height = int(radius + 1) * int(radius + 1) - distance * distance;
        sum += w[uint(k)] = float(height * height);
    }
    for (float& weight : w) weight /= sum;
    return w;
}();

/// One colour of a picture. `from` has a margin of `radius` pixels around whole tiles, so that nothing is read outside.
kernel blur{"blur", [](out<float> to, in<float> from) {
    workgroup_size(tile, tile);
    covers(tile, tile);  // what a workgroup computes; launched with `tiles`, as many as the picture needs
    shared<float> pixels(2 * tile, 2 * tile), rows(2 * tile, tile);
    val x = local_id<2>().x(), y = local_id<2>().y();
    val corner = workgroup_id<2>() * tile;
    val stride = workgroup_count() * tile + 2 * radius;

    for (uint dy : {0u, tile})  // plain C++ runs while the kernel is traced: this is unrolled
        for (uint dx : {0u, tile})
            pixels[y + dy][x + dx] = from[(corner.y() + y + dy) * stride + corner.x() + x + dx];
    barrier();

    for (uint dy : {0u, tile}) {
        var sum = 0.f;
        for (uint k = 0; k < taps; ++k) sum += weights[k] * pixels[y + dy][x + k];
        rows[y + dy][x] = sum;
    }
    barrier();

    var sum = 0.f;
    for (uint k = 0; k < taps; ++k) sum += weights[k] * rows[y + k][x];
    val at = corner + local_id<2>(), size = extent<2>();
    if_((at.x() < size.x()) & (at.y() < size.y()), [&] { to[at.y() * size.x() + at.x()] = sum; });
}};

/// A plane of numbers with access by row and column.
struct plane {
    std::size_t width, height;
    std::vector<float> values = std::vector<float>(width * height);
    float& operator()(std::size_t x, std::size_t y) { return values[y * width + x]; }
};

std::size_t whole_tiles(std::size_t n) { return (n + tile - 1) / tile * tile; }

/// One colour with the kernel's margin: beyond the edge the edge's pixels repeat.
plane with_margin(const examples::picture& p, std::size_t colour) {
    plane result{whole_tiles(p.width) + 2 * radius, whole_tiles(p.height) + 2 * radius};
    const auto inside = [](std::size_t i, std::size_t n) {
        return std::clamp<std::size_t>(i, radius, radius + n - 1) - radius;
    };
    for (std::size_t y = 0; y < result.height; ++y)
        for (std::size_t x = 0; x < result.width; ++x)
            result(x, y) = p.bytes[3 * (inside(y, p.height) * p.width + inside(x, p.width)) + colour];
    return result;
}

/// The same filter in plain C++, one direction after the other over the whole picture.
plane blur_plainly(plane from, std::size_t width, std::size_t height) {
    plane rows{width, from.height}, result{width, height};
    for (std::size_t y = 0; y < from.height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (std::size_t k = 0; k < taps; ++k) rows(x, y) += weights[k] * from(x + k, y);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (std::size_t k = 0; k < taps; ++k) result(x, y) += weights[k] * rows(x, y + k);
    return result;
}

int main(int argc, char** argv) {
    std::string input, output;
    examples::program program{"blur", "a separable filter in shared memory, on your picture"};
    program.option("photo,--input", input, "PNG or JPEG file; without it coloured rings");
    program.option("--output", output, "PNG file");
    return program.run(argc, argv, blur, [&](const device& gpu) -> examples::outcome {
        examples::picture picture = input.empty() ? examples::draw_rings() : examples::picture(input);
        const std::size_t width = picture.width, height = picture.height;
        blur.prepare(gpu);

        double ms = 0;
        std::string mistake;
        for (std::size_t colour = 0; colour < 3; ++colour) {
            const plane from = with_margin(picture, colour);
            const buffer<float> source = gpu.upload(from.values), target = gpu.make_buffer<float>(width * height);
            const examples::stopwatch watch;
            gpu.launch(blur, tiles{width, height}, target, source);
            gpu.synchronize();
            ms += watch.ms();

            const std::vector<float> blurred = target.download();
            const std::vector<float> expected = blur_plainly(from, width, height).values;
            if (mistake.empty()) mistake = examples::find_difference(blurred, expected, 1e-3);
            for (std::size_t i = 0; i < blurred.size(); ++i)
                picture.bytes[3 * i + colour] = static_cast<unsigned char>(std::lround(blurred[i]));
        }
        if (!output.empty()) picture.write_png(output);
        return {std::to_string(width) + " x " + std::to_string(height) + ", radius " + std::to_string(radius), ms,
                "a plain C++ blur, within 0.001 of 255", mistake};
    });
}
