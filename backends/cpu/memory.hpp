// Buffers of CPU devices: host memory, all of it against one budget.
#pragma once

#include <memory>
#include <span>

#include "backends/backend.hpp"

namespace quern::cpu {

/// Aligned to 64 bytes. Throws device_error above the budget: all CPU devices of the process share it, and an
/// allocation that the system could not back with memory now is refused as well.
std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, std::size_t budget_bytes);
/// Memory of the caller's.
std::unique_ptr<backends::memory> wrap(std::span<std::byte> host);

}  // namespace quern::cpu
