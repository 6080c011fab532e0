// How much main memory this process may use.
#pragma once

#include <cstddef>

namespace quern::platform {

/// Bytes that the machine, or the container that limits this process, has.
std::size_t memory_limit_bytes();
/// Bytes that can be taken now without swapping or hitting the limit.
std::size_t memory_available_bytes();

}  // namespace quern::platform
