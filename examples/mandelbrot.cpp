// A loop that every pixel leaves at another time. The kernel counts steps and picks the colour; the picture is a PNG.
#include <quern/quern.hpp>

#include <vector>

#include "support/picture.hpp"
#include "support/program.hpp"

using namespace quern;


/// A colour of a cyclic palette (cosines, after Inigo Quilez), as packed bytes red, green, blue.
auto palette(const traced auto& position) {
    val t = position;
    val wave = 0.5f - 0.5f * cos(t + make_vec(0.f, 0.6f, 1.2f));
    val bytes = cast<uint>(255.f * wave);
    return val<uint>(bytes.x() | (bytes.y() << 8) | (bytes.z() << 16));
}

kernel mandelbrot{"mandelbrot", [](out<uint> steps, out<uint> colours, val<float2> corner, val<float> pixel,
                                   val<uint> limit) {
    math_mode(math::precise);  // nothing is fused: the same orbit on every device and in plain C++
    val at = global_id<2>();
    val c = corner + cast<float>(at) * pixel;

    var z = c;
    var step = 0u;
    while_([&] { return (z.x() * z.x() + z.y() * z.y() <= 16.f) & (step < limit); }, [&] {
        z = make_vec(z.x() * z.x() - z.y() * z.y(), 2.f * z.x() * z.y()) + c;
        ++step;
    });

    val i = at.y() * extent<2>().x() + at.x();
    steps[i] = step;
    if_(step == limit, [&] { colours[i] = 0; }).else_([&] {
        val smooth = cast<float>(step + 3u) - log2(log2(dot(z, z)));  // above 0, and without bands between whole steps
        colours[i] = palette(0.9f * sqrt(smooth) - 0.9f);
    });
}};

uint count_steps(float left, float top, uint limit) {
    float x = left, y = top;
    uint step = 0;
    for (; step < limit && x * x + y * y <= 16.f; ++step) {
        const float next = x * x - y * y + left;
        y = 2.f * x * y + top;
        x = next;
    }
    return step;
}

int main(int argc, char** argv) {
    std::size_t width = 1024, height = 768, limit = 1000;
    std::string file;
    examples::program program{"mandelbrot", "a divergent loop, and a picture of it"};
    program.option("--width", width, "pixels").option("--height", height, "pixels");
    program.option("--limit", limit, "steps after which a point counts as inside").option("--output", file, "PNG file");
    return program.run(argc, argv, mandelbrot, [&](const device& gpu) -> examples::outcome {
        const float pixel = 3.2f / static_cast<float>(width);
        const float left = -2.25f, top = -0.5f * pixel * static_cast<float>(height - 1);
        const std::size_t pixels = width * height;
        const buffer<uint> steps = gpu.make_buffer<uint>(pixels), colours = gpu.make_buffer<uint>(pixels);
        mandelbrot.prepare(gpu);

        const examples::stopwatch watch;
        gpu.launch(mandelbrot, over{width, height}, steps, colours, float2{left, top}, pixel, limit);
        gpu.synchronize();
        const double ms = watch.ms();

        std::vector<uint> expected(pixels);
        for (std::size_t i = 0; i < pixels; ++i)
            expected[i] = count_steps(left + static_cast<float>(i % width) * pixel,
                                      top + static_cast<float>(i / width) * pixel, static_cast<uint>(limit));

        if (!file.empty()) {
            examples::picture picture(width, height);
            const std::vector<uint> packed = colours.download();
            for (std::size_t i = 0; i < picture.bytes.size(); ++i)
                picture.bytes[i] = static_cast<unsigned char>(packed[i / 3] >> (8 * (i % 3)));
            picture.write_png(file);
        }
        const std::string area = std::to_string(width) + " x " + std::to_string(height);
        return {area + ", up to " + std::to_string(limit) + " steps", ms,
                "the same loop in C++, every step count", examples::find_difference(steps.download(), expected)};
    });
}
