// Launch shapes: how many invocations or workgroups a launch has.
#pragma once

#include <quern/detail/host_range.hpp>

#include <cstddef>
#include <cstdint>

namespace quern {

/// What every shape converts to. Extents are checked at launch: a negative one, or one above 2^32 - 1 for a kernel
/// with 32-bit ids, is a usage_error; any 0 is an empty launch.
struct launch_shape {
    enum class kind_type : std::uint8_t { over, groups, tiles };

    kind_type kind = kind_type::over;
    std::size_t extent[3] = {1, 1, 1};

protected:
    constexpr launch_shape(kind_type k, quern_detail::host_count x, quern_detail::host_count y,
                           quern_detail::host_count z) noexcept
        : kind(k), extent{x.value, y.value, z.value} {}
};

/// Exactly nx * ny * nz invocations; the library guards the tail.
struct over : launch_shape {
    constexpr over(quern_detail::host_count nx, quern_detail::host_count ny = 1,
                   quern_detail::host_count nz = 1) noexcept
        : launch_shape(kind_type::over, nx, ny, nz) {}
};

/// gx * gy * gz whole workgroups.
struct groups : launch_shape {
    constexpr groups(quern_detail::host_count gx, quern_detail::host_count gy = 1,
                     quern_detail::host_count gz = 1) noexcept
        : launch_shape(kind_type::groups, gx, gy, gz) {}
};

/// An m * n area of which each workgroup covers what the kernel says with covers(bm, bn), rounded up.
struct tiles : launch_shape {
    constexpr tiles(quern_detail::host_count m, quern_detail::host_count n = 1) noexcept
        : launch_shape(kind_type::tiles, m, n, 1) {}
};

}  // namespace quern
