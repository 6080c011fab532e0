// Main memory: how much of it this process may use, and the pages it is made of.
#pragma once

#include <cstddef>

namespace quern::platform {

/// Bytes that the machine, or the container that limits this process, has.
std::size_t memory_limit_bytes();
/// Bytes that can be taken now without swapping or hitting the limit.
std::size_t memory_available_bytes();

/// Size and alignment from which memory can be made of large pages.
inline constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
/// Asks for large pages behind memory aligned to large_page_bytes that nobody has touched yet: streaming through it
/// then misses the translation cache 512 times less often. A wish: without effect where the system has none.
void prefer_large_pages(void* first, std::size_t size_bytes) noexcept;

}  // namespace quern::platform
