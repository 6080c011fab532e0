// This process and its forks.
#pragma once

#include <cstdint>

namespace quern::platform {

/// Grows by one in the child of each fork since the first call. Threads that were started under another number do not
/// exist in this process.
std::uint32_t fork_count() noexcept;

}  // namespace quern::platform
