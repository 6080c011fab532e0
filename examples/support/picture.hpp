// Pictures as examples read and write them: bytes red, green, blue, one row after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace examples {

struct picture {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<unsigned char> bytes{};  ///< 3 * width * height

    picture(std::size_t w, std::size_t h) : width(w), height(h), bytes(3 * w * h) {}
    /// Reads a PNG, JPEG, BMP … file; throws std::runtime_error if that fails.
    explicit picture(const std::string& file);

    /// Writes a PNG file; throws std::runtime_error if that fails.
    void write_png(const std::string& file) const;
};

/// A picture with many edges, for want of a photograph.
picture draw_rings();

}  // namespace examples
