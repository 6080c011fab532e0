#include "platform/text_file.hpp"

#include <filesystem>
#include <fstream>

namespace quern::platform {

std::string read_text_file(const std::string& path, std::size_t most_bytes) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(path, failed);
    if (failed || size > most_bytes) return {};
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    file.read(text.data(), static_cast<std::streamsize>(size));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

bool write_text_file(const std::string& path, std::string_view text) {
    std::error_code ignored;  // a folder that cannot be made shows when the file is opened
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    return static_cast<bool>(file.flush());
}

}  // namespace quern::platform
