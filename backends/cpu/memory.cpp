#include "backends/cpu/memory.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "platform/system_memory.hpp"

namespace quern::cpu {
namespace {

/// A cache line; large buffers can be made of large pages.
constexpr std::align_val_t alignment_of(std::size_t size_bytes) {
    return std::align_val_t{size_bytes < platform::large_page_bytes ? 64 : platform::large_page_bytes};
}
/// Asking the system what is available is too slow for small buffers, and they do not exhaust it.
constexpr std::size_t large_bytes = 64u << 20;

std::atomic<std::size_t> allocated_bytes{0};

class owned_memory final : public backends::memory {
public:
    owned_memory(std::byte* bytes, std::size_t size) {
        size_bytes = size;
        mapped = bytes;
        address = reinterpret_cast<std::uintptr_t>(bytes);
    }
    ~owned_memory() override {
        ::operator delete(mapped, alignment_of(size_bytes));
        allocated_bytes -= size_bytes;
    }
};

[[noreturn]] void refuse(std::size_t size_bytes, std::size_t budget_bytes) {
    throw device_error(fmt::format("cpu: out of memory: a buffer of {} bytes does not fit; {} of {} bytes are in use, "
                                   "{} bytes are available on this machine", size_bytes, allocated_bytes.load(),
                                   budget_bytes, platform::memory_available_bytes()));
}

}  // namespace

std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, std::size_t budget_bytes) {
    const std::size_t before = allocated_bytes.fetch_add(size_bytes);
    const bool fits = size_bytes <= budget_bytes && before <= budget_bytes - size_bytes &&
                      (size_bytes < large_bytes || size_bytes <= platform::memory_available_bytes() / 10 * 9);
    void* bytes = fits ? ::operator new(size_bytes, alignment_of(size_bytes), std::nothrow) : nullptr;
    if (bytes == nullptr) {
        allocated_bytes -= size_bytes;
        refuse(size_bytes, budget_bytes);
    }
    if (size_bytes >= platform::large_page_bytes) platform::prefer_large_pages(bytes, size_bytes);
    return std::make_unique<owned_memory>(static_cast<std::byte*>(bytes), size_bytes);
}

std::unique_ptr<backends::memory> wrap(std::span<std::byte> host) {
    auto m = std::make_unique<backends::memory>();
    m->size_bytes = host.size();
    m->mapped = host.data();
    m->address = reinterpret_cast<std::uintptr_t>(host.data());
    return m;
}

}  // namespace quern::cpu
