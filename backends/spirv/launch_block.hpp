// The block of addresses, sizes and values that one dispatch passes to a kernel: the same layout for the code that is
// generated and for the queue that fills it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "backends/spirv/features.hpp"

namespace quern::spirv {

/// Invocations of a workgroup where the kernel leaves its size open.
inline constexpr std::uint32_t open_workgroup_size = 64;

enum class block_content : std::uint8_t {
    base,           ///< 3 x u32: first workgroup of this part of a split launch
    groups,         ///< 3 x u32: workgroups of the whole launch
    extent,         ///< 3 x u32, or u64 in kernels with wide ids
    address,        ///< u64 of a buffer parameter (memory_style::addresses)
    first_element,  ///< u32 of a buffer parameter (memory_style::descriptors)
    count,          ///< elements of a buffer parameter: u32, or u64 where the kernel asks for that
    value,          ///< a value parameter
};

struct block_member {
    block_content content = block_content::base;
    std::uint32_t parameter = 0;   ///< of address, first_element, count, value
    std::uint32_t offset = 0;
    std::uint32_t size_bytes = 0;
    std::uint32_t source = 0;      ///< of value: offset in dispatch::values; else the buffer argument's number
};

struct launch_block {
    std::vector<block_member> members;
    std::uint32_t size_bytes = 0;  ///< a multiple of 8
    /// True: too large or too narrow-typed for push constants. The block then lies in memory, its address (or, with
    /// descriptors, binding 0) is what the kernel gets.
    bool is_indirect = false;
    bool is_wide = false;          ///< extents are u64

    const block_member* find(block_content c, std::uint32_t parameter = 0) const;
};

launch_block make_launch_block(const ir::module& m, const features& f);

/// The workgroup size of the code: the module's, or open_workgroup_size in x.
std::array<std::uint32_t, 3> workgroup_size_of(const ir::module& m);

/// True if invocations may lie outside of the extent, so that the code guards its body.
bool needs_guard(const ir::module& m);

}  // namespace quern::spirv
