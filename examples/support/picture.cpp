#include "picture.hpp"

#include <cmath>
#include <stdexcept>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

namespace examples {

picture::picture(const std::string& file) {
    constexpr int channels = 3;
    int w = 0, h = 0, channels_in_file = 0;
    unsigned char* pixels = stbi_load(file.c_str(), &w, &h, &channels_in_file, channels);
    if (pixels == nullptr) throw std::runtime_error("cannot read the picture '" + file + "': " + stbi_failure_reason());
    width = static_cast<std::size_t>(w);
    height = static_cast<std::size_t>(h);
    bytes.assign(pixels, pixels + channels * width * height);
    stbi_image_free(pixels);
}

void picture::write_png(const std::string& file) const {
    constexpr int channels = 3;
    const int w = static_cast<int>(width), h = static_cast<int>(height);
    if (stbi_write_png(file.c_str(), w, h, channels, bytes.data(), channels * w) == 0)
        throw std::runtime_error("cannot write the picture '" + file + "'");
}

picture draw_rings() {
    picture p(800, 600);
    for (std::size_t i = 0; i < p.bytes.size(); ++i) {
        const double x = double(i / 3 % p.width) - 400, y = double(i / 3 / p.width) - 300;
        const double ring = 40 + 10 * double(i % 3);  // of another width for each colour
        p.bytes[i] = std::fmod(std::hypot(x, y), ring) < ring / 2 ? 240 : 20;
    }
    return p;
}

}  // namespace examples
