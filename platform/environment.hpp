// Environment variables.
#pragma once

#include <optional>
#include <string>

namespace quern::platform {

/// The variable's value, or nothing if it is not set.
std::optional<std::string> environment_variable(const char* name);

}  // namespace quern::platform
