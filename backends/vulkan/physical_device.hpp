// What a physical device can do: its features as one chain that serves for asking and for creating the device, its
// properties, and the target that kernels are compiled for.
#pragma once

#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/spirv/features.hpp"
#include "backends/vulkan/functions.hpp"

namespace quern::vulkan {

/// Feature structures, each linked if the device knows it. Not copyable: they point at each other.
struct feature_chain {
    VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr, {}};
    VkPhysicalDevice16BitStorageFeatures storage16{};
    VkPhysicalDevice8BitStorageFeatures storage8{};
    VkPhysicalDeviceShaderFloat16Int8Features small{};
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses{};
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model{};
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar_layout{};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types{};
    VkPhysicalDeviceShaderAtomicInt64Features atomic64{};
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size{};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
    std::vector<const char*> extensions;  ///< to enable for them

    feature_chain() = default;
    feature_chain(const feature_chain&) = delete;
};

/// Everything that is known of a physical device before it is opened.
struct physical_device {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceMemoryProperties memory{};
    feature_chain features;      ///< what Quern uses of what the device has
    spirv::features code;        ///< what kernels may use
    backends::target target;
    std::uint32_t family = 0;    ///< queue family
    bool has_timestamps = false;
    bool is_unified = false;     ///< all device memory is the host's too
    std::string unusable;        ///< why Quern cannot use it; empty if it can

    physical_device(const instance_functions& f, VkPhysicalDevice d, spirv::memory_style wanted);

    /// In the order of DESIGN: discrete 1, integrated 2, software 4.
    int rank() const;
};

/// Copies the code's features into the target that is compiled for and into what kernels see.
void describe_code(backends::target& t, const spirv::features& f);

}  // namespace quern::vulkan
