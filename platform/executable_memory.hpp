// Memory for machine code that this process made: written while it is private, then sealed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quern::platform {

/// Pages of this process that are writable until sealed; then the first part can be executed and the rest read.
class executable_memory {
public:
    executable_memory() = default;
    /// Empty if the system gives none.
    explicit executable_memory(std::size_t size_bytes);
    executable_memory(executable_memory&& other) noexcept;
    executable_memory& operator=(executable_memory&& other) noexcept;
    ~executable_memory();

    std::span<std::byte> bytes() const { return {first_, size_bytes_}; }
    /// Nothing can be written from now on. `code_bytes` is a multiple of page_bytes(). False if the system refuses.
    bool seal(std::size_t code_bytes) const;
    static std::size_t page_bytes();

private:
    std::byte* first_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace quern::platform
