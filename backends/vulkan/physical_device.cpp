#include "backends/vulkan/physical_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace quern::vulkan {
namespace {

std::string_view vendor_name(std::uint32_t id) {
    switch (id) {
        case 0x1002: return "AMD";
        case 0x10de: return "NVIDIA";
        case 0x8086: return "Intel";
        case 0x13b5: return "Arm";
        case 0x5143: return "Qualcomm";
        case 0x106b: return "Apple";
        case 0x1ae0: return "Google";
        case VK_VENDOR_ID_MESA: return "Mesa";
    }
    return "unknown";
}

class inspection {
public:
    inspection(const instance_functions& f, physical_device& p) : f_(f), p_(p) {
        std::uint32_t count = 0;
        f_.vkEnumerateDeviceExtensionProperties(p_.handle, nullptr, &count, nullptr);
        extensions_.resize(count);
        f_.vkEnumerateDeviceExtensionProperties(p_.handle, nullptr, &count, extensions_.data());
        f_.vkGetPhysicalDeviceProperties(p_.handle, &p_.properties);
        f_.vkGetPhysicalDeviceMemoryProperties(p_.handle, &p_.memory);
    }

    void ask(spirv::memory_style wanted) {
        if (p_.properties.apiVersion < VK_API_VERSION_1_1) {
            p_.unusable = "its driver is older than Vulkan 1.1";
            return;
        }
        find_family();
        ask_features();
        ask_properties(wanted);
        describe();
        if (!p_.features.scalar_layout.scalarBlockLayout) p_.unusable = "it has no scalar block layout";
    }

private:
    bool has_extension(const char* name) const {
        return std::any_of(extensions_.begin(), extensions_.end(),
                           [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
    }

    /// True if the structure is known: core since `core_version`, or through the extension, which is then enabled.
    bool knows(std::uint32_t core_version, const char* extension) {
        if (p_.properties.apiVersion >= core_version) return true;
        if (!has_extension(extension)) return false;
        p_.features.extensions.push_back(extension);
        return true;
    }

    template <class Structure>
    void link(Structure& s, VkStructureType type, bool is_known) {
        s.sType = type;
        if (!is_known) return;
        s.pNext = p_.features.core.pNext;
        p_.features.core.pNext = &s;
    }

    void find_family() {
        std::uint32_t count = 0;
        f_.vkGetPhysicalDeviceQueueFamilyProperties(p_.handle, &count, nullptr);
        std::vector<VkQueueFamilyProperties> families(count);
        f_.vkGetPhysicalDeviceQueueFamilyProperties(p_.handle, &count, families.data());
        const auto found = std::find_if(families.begin(), families.end(), [](const VkQueueFamilyProperties& q) {
            return (q.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
        });
        if (found == families.end()) {
            p_.unusable = "it has no queue that computes";
            return;
        }
        p_.family = static_cast<std::uint32_t>(found - families.begin());
        p_.has_timestamps = found->timestampValidBits != 0 && p_.properties.limits.timestampPeriod > 0;
    }

    void ask_features() {
        feature_chain& c = p_.features;
        link(c.storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, true);
        link(c.storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, knows(VK_API_VERSION_1_2, "VK_KHR_8bit_storage"));
        link(c.small, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, knows(VK_API_VERSION_1_2, "VK_KHR_shader_float16_int8"));
        link(c.addresses, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, knows(VK_API_VERSION_1_2, "VK_KHR_buffer_device_address"));
        link(c.memory_model, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, knows(VK_API_VERSION_1_2, "VK_KHR_vulkan_memory_model"));
        link(c.scalar_layout, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, knows(VK_API_VERSION_1_2, "VK_EXT_scalar_block_layout"));
        link(c.timeline, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, knows(VK_API_VERSION_1_2, "VK_KHR_timeline_semaphore"));
        link(c.subgroup_types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
             knows(VK_API_VERSION_1_2, "VK_KHR_shader_subgroup_extended_types"));
        link(c.atomic64, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES, knows(VK_API_VERSION_1_2, "VK_KHR_shader_atomic_int64"));
        link(c.subgroup_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, knows(VK_API_VERSION_1_3, "VK_EXT_subgroup_size_control"));
        link(c.atomic_float, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, knows(~0u, "VK_EXT_shader_atomic_float"));
        f_.vkGetPhysicalDeviceFeatures2(p_.handle, &c.core);
        // Only what Quern uses is asked of the driver.
        const VkPhysicalDeviceFeatures all = c.core.features;
        c.core.features = {};
        c.core.features.shaderFloat64 = all.shaderFloat64;
        c.core.features.shaderInt64 = all.shaderInt64;
        c.core.features.shaderInt16 = all.shaderInt16;
        c.addresses.bufferDeviceAddressCaptureReplay = c.addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
        c.memory_model.vulkanMemoryModelAvailabilityVisibilityChains = VK_FALSE;
    }

    void ask_properties(spirv::memory_style wanted) {
        VkPhysicalDeviceSubgroupSizeControlProperties sizes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, nullptr, 0, 0, 0, 0};
        VkPhysicalDeviceFloatControlsProperties floats{};
        floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
        VkPhysicalDeviceSubgroupProperties subgroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, nullptr, 0, 0, 0, 0};
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroup, {}};
        const bool has_floats = knows(VK_API_VERSION_1_2, "VK_KHR_shader_float_controls");
        const bool has_sizes = p_.features.subgroup_size.subgroupSizeControl != VK_FALSE;
        VkPhysicalDeviceDriverProperties driver{};
        driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
        if (knows(VK_API_VERSION_1_2, "VK_KHR_driver_properties")) driver.pNext = std::exchange(all.pNext, &driver);
        if (has_floats) floats.pNext = std::exchange(all.pNext, &floats);
        if (has_sizes) sizes.pNext = std::exchange(all.pNext, &sizes);
        f_.vkGetPhysicalDeviceProperties2(p_.handle, &all);

        const feature_chain& c = p_.features;
        spirv::features& f = p_.code;
        f.addresses = wanted == spirv::memory_style::addresses && c.addresses.bufferDeviceAddress && c.core.features.shaderInt64;
        f.int8 = c.small.shaderInt8;
        f.int16 = c.core.features.shaderInt16;
        f.int64 = c.core.features.shaderInt64;
        f.float16 = c.small.shaderFloat16;
        f.float64 = c.core.features.shaderFloat64;
        f.storage8 = c.storage8.storageBuffer8BitAccess;
        f.storage16 = c.storage16.storageBuffer16BitAccess;
        f.push8 = c.storage8.storagePushConstant8;
        f.push16 = c.storage16.storagePushConstant16;
        f.memory_model = c.memory_model.vulkanMemoryModel;
        constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                                  VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
        const bool in_compute = (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
        f.subgroups = in_compute && (subgroup.supportedOperations & needed) == needed;
        f.shuffle = (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
        f.shuffle_relative = (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT) != 0;
        f.subgroup_extended = c.subgroup_types.shaderSubgroupExtendedTypes;
        f.atomic64_buffer = c.atomic64.shaderBufferInt64Atomics;
        f.atomic64_shared = c.atomic64.shaderSharedInt64Atomics;
        f.atomic_add32_buffer = c.atomic_float.shaderBufferFloat32AtomicAdd;
        f.atomic_add32_shared = c.atomic_float.shaderSharedFloat32AtomicAdd;
        f.keep_special16 = floats.shaderSignedZeroInfNanPreserveFloat16;
        f.keep_special32 = floats.shaderSignedZeroInfNanPreserveFloat32;
        f.keep_special64 = floats.shaderSignedZeroInfNanPreserveFloat64;
        f.nearest16 = floats.shaderRoundingModeRTEFloat16;
        f.nearest32 = floats.shaderRoundingModeRTEFloat32;
        f.nearest64 = floats.shaderRoundingModeRTEFloat64;
        f.denormals16 = floats.shaderDenormPreserveFloat16;
        f.denormals32 = floats.shaderDenormPreserveFloat32;
        f.denormals64 = floats.shaderDenormPreserveFloat64;
        f.push_bytes = std::min(p_.properties.limits.maxPushConstantsSize, 256u);  // more would be copied at each launch
        f.fence_suspends = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
        f.bindings = std::min(p_.properties.limits.maxPerStageDescriptorStorageBuffers, p_.properties.limits.maxDescriptorSetStorageBuffers);
        f.subgroup_size = subgroup.subgroupSize;
        f.fixed_subgroup_size = has_sizes && sizes.minSubgroupSize != sizes.maxSubgroupSize &&
                                (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    }

    void describe() {
        const VkPhysicalDeviceLimits& limits = p_.properties.limits;
        target_info& info = p_.target.info;
        p_.target.name = fmt::format("vulkan:{}.{}", VK_API_VERSION_MAJOR(p_.properties.apiVersion), VK_API_VERSION_MINOR(p_.properties.apiVersion));
        info.name = p_.properties.deviceName;
        info.vendor = vendor_name(p_.properties.vendorID);
        info.shared_memory_bytes = limits.maxComputeSharedMemorySize;
        info.max_workgroup_size = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
        const bool is_software = p_.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (is_software) info.compute_units = std::max(1u, std::thread::hardware_concurrency());
        for (std::uint32_t i = 0; i < p_.memory.memoryHeapCount; ++i)
            if ((p_.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
                info.memory_bytes = std::max<std::size_t>(info.memory_bytes, p_.memory.memoryHeaps[i].size);
        constexpr VkMemoryPropertyFlags both = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        p_.is_unified = p_.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || is_software;
        p_.is_unified = p_.is_unified && std::any_of(p_.memory.memoryTypes, p_.memory.memoryTypes + p_.memory.memoryTypeCount,
                                                     [&](const VkMemoryType& t) { return (t.propertyFlags & both) == both; });
        describe_code(p_.target, p_.code);
        // What nobody specifies but these are known to do: waves of a started workgroup are scheduled fairly.
        const bool is_fair = is_software || info.vendor == "NVIDIA" || info.vendor == "AMD" || info.vendor == "Intel";
        if (is_fair) info.features |= 1u << static_cast<unsigned>(feature::workgroup_progress);
    }

    const instance_functions& f_;
    physical_device& p_;
    std::vector<VkExtensionProperties> extensions_;
};

}  // namespace

physical_device::physical_device(const instance_functions& f, VkPhysicalDevice d, spirv::memory_style wanted) : handle(d) {
    inspection(f, *this).ask(wanted);
}

int physical_device::rank() const {
    switch (properties.deviceType) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 1;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
        case VK_PHYSICAL_DEVICE_TYPE_CPU: case VK_PHYSICAL_DEVICE_TYPE_OTHER: case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM: break;
    }
    return 4;
}

void describe_code(backends::target& t, const spirv::features& f) {
    t.code_features = spirv::to_text(f);
    t.info.backend = backend::vulkan;
    t.info.subgroup_size = f.subgroup_size;
    const auto set = [&](feature what, bool has) {
        if (has) t.info.features |= 1u << static_cast<unsigned>(what);
    };
    set(feature::int8, f.int8 && f.storage8);
    set(feature::int16, f.int16 && f.storage16);
    set(feature::int64, f.int64);
    set(feature::half, f.float16 && f.storage16);
    set(feature::float64, f.float64 && f.int64);
    set(feature::atomic_int64, f.int64 && f.atomic64_buffer && f.atomic64_shared);
    set(feature::atomic_float, true);  // by compare-exchange where the device has none
    set(feature::subgroups, f.subgroups);
    set(feature::device_fence, true);
    set(feature::denormals, f.denormals32 && (f.denormals64 || !f.float64) && (f.denormals16 || !f.float16));
}

}  // namespace quern::vulkan
