// The host's numbers as literals: which types count, and whether an integer survives the way to one of them.
#pragma once

#include <quern/half.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace quern::quern_detail {

/// float, double, half and bfloat16.
template <class T>
inline constexpr bool is_host_float = std::is_floating_point_v<T>;
template <small_format Format>
inline constexpr bool is_host_float<small_float<Format>> = true;

/// Integers and bool too.
template <class T>
inline constexpr bool is_host_number = std::is_arithmetic_v<T> || is_host_float<T>;

/// Whether an integer is a value of the number type T.
template <class T, class I>
    requires std::is_integral_v<I>
constexpr bool is_representable(I value) {
    if constexpr (is_host_float<T>) {
        // Exact iff the magnitude has at most `digits` bits between its highest and lowest set one, and fits.
        std::uint64_t bits = value < I{} ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        if (std::numeric_limits<T>::max_exponent < 64 && bits >> (std::numeric_limits<T>::max_exponent & 63) != 0) return false;
        while (bits != 0 && (bits & 1u) == 0) bits >>= 1;
        return std::numeric_limits<T>::digits >= 64 || bits >> (std::numeric_limits<T>::digits & 63) == 0;
    } else {
        const T there = static_cast<T>(value);
        return static_cast<I>(there) == value && (there < T{}) == (value < I{});
    }
}

}  // namespace quern::quern_detail
