// What the generated entry and whoever launches it must agree on: the entry's parameters in order, the block's shape,
// the shared memory. A function of the module alone, so that loaded code needs no record of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::cuda {

/// Threads of a block where the kernel leaves its workgroup size open.
inline constexpr std::uint32_t open_block_threads = 256;
/// More shared memory than this must be dynamic, with an attribute of the function.
inline constexpr std::uint32_t most_static_shared_bytes = 48 * 1024;
/// Shared variables begin at multiples of this, as do buffers whose elements are as large.
inline constexpr std::uint32_t wide_bytes = 16;
/// Blocks of a grid by dimension.
inline constexpr std::array<std::uint64_t, 3> most_blocks{0x7fff'ffffu, 65535, 65535};

enum class entry_kind : std::uint8_t {
    buffer,       ///< address of buffer `number`
    size,         ///< its elements
    value,        ///< `size_bytes` of the launch's values at `offset`
    extent,       ///< of dimension `number`
    group_count,  ///< workgroups along dimension `number`
    first_group,  ///< what blockIdx counts from, where one grid cannot hold all workgroups
};

/// One parameter of the generated entry.
struct entry_parameter {
    entry_kind kind;
    std::uint32_t number = 0;      ///< buffer argument or dimension
    std::uint32_t size_bytes = 8;  ///< 4 or 8 but for values
    std::uint32_t offset = 0;
    std::uint32_t parameter = 0;   ///< of the module, for buffer, size and value
};

struct kernel_facts {
    std::vector<entry_parameter> parameters;
    std::array<std::uint32_t, 3> block{};       ///< all 0: chosen at launch
    std::uint32_t block_dimensions = 1;         ///< of a chosen block: dimensions that it may extend along
    std::uint32_t threads = open_block_threads; ///< at most, per block
    std::array<bool, 3> guarded{};              ///< the last block may hang over the extent
    std::array<bool, 3> wide_ids{};             ///< positions along it are computed in 64 bits
    std::vector<std::uint32_t> shared_offsets;  ///< by variable; of shared ones
    std::uint32_t shared_bytes = 0;

    bool is_open() const { return block[0] == 0; }
    bool has_dynamic_shared() const { return shared_bytes > most_static_shared_bytes; }
    const entry_parameter* find(entry_kind k, std::uint32_t number) const;
};

kernel_facts find_kernel_facts(const ir::module& m);

/// Alignment that every address of elements of this size is known to have: of a buffer's first element and so of all.
std::uint32_t element_alignment(const ir::type& t);

}  // namespace quern::cuda
