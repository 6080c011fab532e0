// What code generation may use of a Vulkan device, as data: filled in by the device or by a target's name, carried as text
// in backends::target::code_features, so that it is part of every cache key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quern::spirv {

/// How kernels reach buffers.
enum class memory_style : std::uint8_t {
    addresses,    ///< PhysicalStorageBuffer pointers in the launch block
    descriptors,  ///< one storage buffer binding a parameter
};

struct features {
    bool addresses = false;  ///< memory_style::addresses; false: descriptors
    bool int8 = false, int16 = false, int64 = false, float16 = false, float64 = false;
    bool storage8 = false, storage16 = false;      ///< in storage buffers
    bool push8 = false, push16 = false;            ///< in push constants
    bool memory_model = false;                     ///< Vulkan's; else GLSL 450's
    bool subgroups = false;                        ///< basic, vote, arithmetic and ballot operations
    bool shuffle = false, shuffle_relative = false;
    bool subgroup_extended = false;                ///< 8-, 16- and 64-bit operands too
    bool atomic64_buffer = false, atomic64_shared = false;
    bool atomic_add32_buffer = false, atomic_add32_shared = false;  ///< float additions
    bool keep_special16 = false, keep_special32 = false, keep_special64 = false;  ///< signed zero, infinity, NaN
    bool nearest16 = false, nearest32 = false, nearest64 = false;                 ///< round to nearest even
    bool denormals16 = false, denormals32 = false, denormals64 = false;           ///< preserved
    /// llvmpipe suspends an invocation at a memory barrier as at a control barrier, and forgets it if others do not come by.
    /// Its atomics are sequentially consistent: volatile accesses between them are as good as a fence.
    bool fence_suspends = false;
    std::uint32_t push_bytes = 128;        ///< of push constants
    std::uint32_t bindings = 0;            ///< storage buffers of a kernel, with descriptors; 0: not asked
    std::uint32_t subgroup_size = 0;       ///< that kernels are compiled for
    bool fixed_subgroup_size = false;      ///< pipelines may and must require it: the device has several

    memory_style style() const { return addresses ? memory_style::addresses : memory_style::descriptors; }
    friend bool operator==(const features&, const features&) = default;
};

/// "addresses int64 … push_bytes=128 subgroup_size=8"; parse_features is the inverse and throws internal_error.
std::string to_text(const features& f);
features parse_features(std::string_view text);

}  // namespace quern::spirv
