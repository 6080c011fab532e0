// What a kernel can ask about the device that it is traced for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace quern {

/// Where a device's code runs. `reference` is reached only by device::find("reference").
enum class backend : std::uint8_t { cpu, vulkan, cuda, webgpu, reference };

/// Optional abilities of a device. The order is part of cache keys: append only.
enum class feature : std::uint8_t {
    int8, int16, int64, half, bfloat16, float64, atomic_int64, atomic_float, subgroups, device_fence,
    workgroup_progress, denormals,
};

/// Facts about one device, read by kernels through target() and by programs through device::info().
struct target_info {
    quern::backend backend = quern::backend::cpu;
    std::string name;                         ///< "AMD EPYC", "NVIDIA H200"
    std::string vendor;
    std::uint32_t subgroup_size = 1;          ///< invocations
    std::size_t shared_memory_bytes = 0;      ///< per workgroup
    std::uint32_t max_workgroup_size = 1;     ///< invocations in one workgroup
    std::uint32_t compute_units = 1;
    int compute_capability = 0;               ///< 90 for sm_90, 0 elsewhere
    std::size_t memory_bytes = 0;             ///< budget for buffers
    std::uint32_t features = 0;               ///< bit set of feature

    bool has(feature f) const { return ((features >> static_cast<unsigned>(f)) & 1u) != 0; }
};

}  // namespace quern
