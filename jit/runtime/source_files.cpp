#include "jit/runtime/source_files.hpp"

#include <algorithm>

#include "platform/text_file.hpp"

namespace quern::jit {

const source_files::text& source_files::read(std::string_view file) const {
    const auto known = files_.find(file);
    if (known != files_.end()) return known->second;
    constexpr std::size_t most_bytes = 16u << 20;
    text& t = files_[std::string(file)];
    t.all = platform::read_text_file(std::string(file), most_bytes);
    const std::string_view all = t.all;
    for (std::size_t first = 0; first < all.size();) {
        const std::size_t end = std::min(all.find('\n', first), all.size());
        t.lines.push_back(all.substr(first, end - first));
        first = end + 1;
    }
    return t;
}

std::string_view source_files::line(std::string_view file, std::uint32_t line) const {
    const text& t = read(file);
    return line >= 1 && line <= t.lines.size() ? t.lines[line - 1] : std::string_view{};
}

}  // namespace quern::jit
