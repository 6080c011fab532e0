// Whole text files.
#pragma once

#include <string>
#include <string_view>

namespace quern::platform {

/// Creates missing folders and replaces the file; false if the system does not let it.
bool write_text_file(const std::string& path, std::string_view text);

}  // namespace quern::platform
