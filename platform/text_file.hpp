// Whole text files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quern::platform {

/// The contents, or nothing where the file is absent, not readable, or larger than `most_bytes`.
std::string read_text_file(const std::string& path, std::size_t most_bytes);
/// Creates missing folders and replaces the file; false if the system does not let it.
bool write_text_file(const std::string& path, std::string_view text);

}  // namespace quern::platform
