#include "array.hpp"

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace bench {

huge_memory::huge_memory(std::size_t size_bytes) {
    constexpr std::size_t huge_page = std::size_t{2} << 20, step = 9 * 64;
    static std::atomic<std::size_t> number{0};
    const std::size_t offset = number++ % 7 * step, whole = (size_bytes + offset + huge_page - 1) / huge_page * huge_page;
    allocation_ = ::operator new(whole, std::align_val_t{huge_page});
#ifdef MADV_HUGEPAGE
    madvise(allocation_, whole, MADV_HUGEPAGE);
#endif
    data_ = static_cast<std::byte*>(allocation_) + offset;
}

huge_memory::~huge_memory() { ::operator delete(allocation_, std::align_val_t{std::size_t{2} << 20}); }

void fill_uniformly(const array<float>& a, float low, float high, unsigned seed) {
    std::minstd_rand random(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    for (float& x : a) x = uniform(random);
}

}  // namespace bench
