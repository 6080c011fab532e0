#include "backends/registry.hpp"

#include <array>

#include "backends/cpu/cpu.hpp"
#include "backends/cuda/cuda.hpp"
#include "backends/reference/reference.hpp"
#include "backends/stub.hpp"
#include "backends/vulkan/vulkan.hpp"

namespace quern::backends {

std::span<backend* const> all() {
    static const std::array<backend*, 4> backends{&cuda_backend(), &vulkan_backend(), &cpu_backend(), &reference_backend()};
    return backends;
}

backend* find(std::string_view name) {
    for (backend* b : all())
        if (b->name() == name) return b;
    return nullptr;
}

}  // namespace quern::backends
