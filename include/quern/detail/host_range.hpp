// What host code hands over: counts of any integer type, and contiguous ranges, without <ranges>.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

namespace quern::quern_detail {

template <class I>
concept host_integer = std::is_integral_v<I> && !std::is_same_v<std::remove_cv_t<I>, bool>;

/// A count of any integer type, free of narrowing warnings at the caller. A negative one arrives at or above 2^63,
/// which no device offers, and is reported where it is used.
struct host_count {
    std::size_t value = 0;

    constexpr host_count() = default;
    template <host_integer I>
    constexpr host_count(I n) noexcept : value(static_cast<std::size_t>(n)) {}
};

/// How an element looks to the host: itself, but bool is a byte.
template <class T>
struct host_element { using type = T; };
template <>
struct host_element<bool> { using type = unsigned char; };
template <class T>
using host_element_t = typename host_element<T>::type;

template <class R>
concept contiguous_range = requires(const R& r) {
    *std::data(r);
    std::size(r);
};

template <class R>
using range_element = std::remove_cvref_t<decltype(*std::data(std::declval<const R&>()))>;

/// A range whose elements can be copied byte by byte into a buffer<T>.
template <class R, class T>
concept uploadable_to = contiguous_range<R> && (std::is_same_v<range_element<R>, T> ||
                                                std::is_same_v<range_element<R>, host_element_t<T>>);

template <class R>
inline constexpr bool is_vector_of_bool = false;
template <class Allocator>
inline constexpr bool is_vector_of_bool<std::vector<bool, Allocator>> = true;

template <class R>
concept vector_of_bool = is_vector_of_bool<R>;

}  // namespace quern::quern_detail
