#include "platform/executable_memory.hpp"

#include <utility>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace quern::platform {

executable_memory::executable_memory(executable_memory&& other) noexcept
    : first_(std::exchange(other.first_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}

executable_memory& executable_memory::operator=(executable_memory&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
}

#ifdef _WIN32

executable_memory::executable_memory(std::size_t size_bytes) {
    first_ = static_cast<std::byte*>(VirtualAlloc(nullptr, size_bytes, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE));
    if (first_ != nullptr) size_bytes_ = size_bytes;
}

executable_memory::~executable_memory() {
    if (first_ != nullptr) VirtualFree(first_, 0, MEM_RELEASE);
}

bool executable_memory::seal(std::size_t code_bytes) const {
    DWORD before = 0;
    if (!VirtualProtect(first_, code_bytes, PAGE_EXECUTE_READ, &before)) return false;
    const std::size_t rest = size_bytes_ - code_bytes;
    return (rest == 0 || VirtualProtect(first_ + code_bytes, rest, PAGE_READONLY, &before)) &&
           FlushInstructionCache(GetCurrentProcess(), first_, code_bytes);
}

std::size_t executable_memory::page_bytes() {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

#else

executable_memory::executable_memory(std::size_t size_bytes) {
    void* const pages = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    first_ = static_cast<std::byte*>(pages);
    size_bytes_ = size_bytes;
}

executable_memory::~executable_memory() {
    if (first_ != nullptr) ::munmap(first_, size_bytes_);
}

bool executable_memory::seal(std::size_t code_bytes) const {
    __builtin___clear_cache(reinterpret_cast<char*>(first_), reinterpret_cast<char*>(first_ + code_bytes));
    return ::mprotect(first_, code_bytes, PROT_READ | PROT_EXEC) == 0 &&
           (size_bytes_ == code_bytes || ::mprotect(first_ + code_bytes, size_bytes_ - code_bytes, PROT_READ) == 0);
}

std::size_t executable_memory::page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

#endif

}  // namespace quern::platform
