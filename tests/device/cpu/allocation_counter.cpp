#include "tests/device/cpu/allocation_counter.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local quern::test::allocation_counter* current = nullptr;
std::atomic<long long> alive{0};

constexpr std::align_val_t natural{alignof(std::max_align_t)};

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    if (current != nullptr) ++current->count;
    const std::size_t unit = static_cast<std::size_t>(alignment);
    void* p = std::aligned_alloc(unit, (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit);
    if (p != nullptr) alive.fetch_add(1, std::memory_order_relaxed);
    return p;
}

void release(void* p) noexcept {
    if (p != nullptr) alive.fetch_sub(1, std::memory_order_relaxed);
    std::free(p);
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
long long allocations_alive() { return alive.load(std::memory_order_relaxed); }

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
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
