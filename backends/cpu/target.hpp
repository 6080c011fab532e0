// What a CPU target is: this host, found without LLVM, or one named "cpu:<LLVM's name>".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backends/backend.hpp"

namespace quern::cpu {

/// This host; `lanes` overrides the width that suits it (0: none).
backends::target host_target(std::uint32_t lanes);
/// "cpu" or "cpu:<name>"; an empty info.name for anything else. Whether LLVM knows the name shows when compiling.
backends::target find_target(std::string_view name);
/// LLVM's CPU name of a target; empty for this host.
std::string llvm_cpu(const backends::target& t);

}  // namespace quern::cpu
