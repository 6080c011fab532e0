#include "tests/device/cpu/allocation_counter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local quern::test::allocation_counter* current = nullptr;

constexpr std::align_val_t natural{alignof(std::max_align_t)};

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    if (current != nullptr) ++current->count;
    const std::size_t unit = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(unit, (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit);
}

void* allocate_or_throw(std::size_t size, std::align_val_t alignment) {
    void* p = allocate(size, alignment);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

}  // namespace

namespace quern::test {

allocation_counter::allocation_counter() { current = this; }
allocation_counter::~allocation_counter() { current = nullptr; }

}  // namespace quern::test

// The whole set: a sanitizer's own operators would not match what the others return.
void* operator new(std::size_t size) { return allocate_or_throw(size, natural); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, natural); }
void* operator new(std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return allocate_or_throw(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, natural); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, natural); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, alignment);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
