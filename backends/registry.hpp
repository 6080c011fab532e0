// The list of backends. registry.cpp is the only file that names concrete ones.
#pragma once

#include <span>
#include <string_view>

#include "backends/backend.hpp"

namespace quern::backends {

/// All backends in order of preference; absent ones are stubs that enumerate nothing and say why.
std::span<backend* const> all();
/// The backend of this name, or null.
backend* find(std::string_view name);

}  // namespace quern::backends
