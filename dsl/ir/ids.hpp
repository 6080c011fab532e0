// Typed 32-bit handles into a module's arenas. No pointers anywhere in the IR, so bytes and hashes are deterministic.
#pragma once

#include <compare>
#include <cstdint>

namespace quern::ir {

template <class Tag>
struct id {
    static constexpr std::uint32_t none_value = 0xffff'ffffu;
    std::uint32_t number = none_value;

    constexpr bool is_none() const { return number == none_value; }
    constexpr explicit operator bool() const { return number != none_value; }
    friend constexpr auto operator<=>(id, id) = default;
};

using type_id = id<struct type_tag>;
using value_id = id<struct value_tag>;
using place_id = id<struct place_tag>;
using variable_id = id<struct variable_tag>;
using parameter_id = id<struct parameter_tag>;
using block_id = id<struct block_tag>;
using location_id = id<struct location_tag>;
using file_id = id<struct file_tag>;

/// A run of elements in one of the module's pools.
struct slice {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

}  // namespace quern::ir
