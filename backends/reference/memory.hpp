// Memory as an invocation sees it: places become spots, every step of them checked against its bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/reference/decoded_kernel.hpp"

namespace quern::reference {

/// Where a place leads: bytes of a buffer or of the launch's values, or components of a variable. One pointer is null.
struct spot {
    ir::type_id type;
    std::byte* bytes = nullptr;
    std::uint64_t* components = nullptr;
};

/// The memory of one invocation: the launch's, its workgroup's, its own, and its registers, which hold the indices.
struct memory_view {
    const decoded_kernel& kernel;
    std::span<const std::span<std::byte>> buffers;
    std::span<std::byte> values;
    std::span<std::uint64_t> shared;
    std::span<std::uint64_t> local;
    std::span<std::uint64_t> registers;
};

/// Elements of buffer parameter number `parameter`.
std::uint64_t element_count(const memory_view& m, std::uint32_t parameter);

/// Throws device_error that names kernel, line, root, index and bound when an index is out of range.
spot resolve(const memory_view& m, ir::place_id p, ir::location_id where);

void read(const memory_view& m, const spot& from, std::uint64_t* to);
void write(const memory_view& m, const std::uint64_t* from, const spot& to);

/// The index held by a value: sign-extended, so that a negative one is out of every range.
std::uint64_t index_value(const memory_view& m, ir::value_id v);

/// Throws the device_error of an index outside of [0, bound); `what` names what was indexed.
[[noreturn]] void fail_range(const decoded_kernel& k, ir::location_id where, const std::string& what,
                             std::uint64_t index, std::uint64_t bound);

}  // namespace quern::reference
