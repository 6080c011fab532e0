// From a C++ type to its description, and the compile-time questions that operators ask about it.
#pragma once

#include <quern/detail/host_number.hpp>
#include <quern/detail/type_desc.hpp>
#include <quern/types.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

namespace quern::quern_detail {

/// A type without rvalue or cv decorations that the language knows; undefined otherwise.
template <class T>
struct described;

template <class T>
consteval scalar_kind scalar_kind_of() {
    if constexpr (std::is_same_v<T, bool>) return scalar_kind::boolean;
    else if constexpr (std::is_same_v<T, half>) return scalar_kind::f16;
    else if constexpr (std::is_same_v<T, bfloat16>) return scalar_kind::bf16;
    else if constexpr (std::is_same_v<T, float>) return scalar_kind::f32;
    else if constexpr (std::is_same_v<T, double>) return scalar_kind::f64;
    else if constexpr (std::is_enum_v<T>) return scalar_kind_of<std::underlying_type_t<T>>();
    else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
                       std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>) return scalar_kind::none;
    else if constexpr (std::is_integral_v<T>) {
        constexpr bool is_signed = std::is_signed_v<T>;
        switch (sizeof(T)) {
            case 1: return is_signed ? scalar_kind::i8 : scalar_kind::u8;
            case 2: return is_signed ? scalar_kind::i16 : scalar_kind::u16;
            case 4: return is_signed ? scalar_kind::i32 : scalar_kind::u32;
            case 8: return is_signed ? scalar_kind::i64 : scalar_kind::u64;
        }
        return scalar_kind::none;
    } else return scalar_kind::none;
}

template <class T>
inline constexpr bool is_vec = false;
template <class T, int N>
inline constexpr bool is_vec<vec<T, N>> = true;

template <class T>
struct component {
    using type = T;
    static constexpr int count = 1;
};
template <class T, int N>
struct component<vec<T, N>> {
    using type = T;
    static constexpr int count = N;
};
/// The scalar that a scalar or vector type is made of.
template <class T>
using component_t = typename component<T>::type;
template <class T>
inline constexpr int width = component<T>::count;

/// `Model` with its components replaced by T: bool for float, bool3 for float3 …
template <class Model, class T>
struct like {
    using type = T;
};
template <class U, int N, class T>
struct like<vec<U, N>, T> {
    using type = vec<T, N>;
};
template <class Model, class T>
using like_t = typename like<Model, T>::type;

template <class T>
    requires(scalar_kind_of<T>() != scalar_kind::none)
struct described<T> {
    static constexpr type_desc value{.kind = type_kind::scalar, .scalar = scalar_kind_of<T>(), .count = 1,
                                     .size_bytes = sizeof(T), .alignment_bytes = sizeof(T)};
};
template <class T, int N>
struct described<vec<T, N>> {
    static constexpr type_desc value{.kind = type_kind::vector, .scalar = scalar_kind_of<T>(), .count = N,
                                     .size_bytes = sizeof(vec<T, N>), .alignment_bytes = sizeof(T),
                                     .element = &described<T>::value};
};
template <class T, std::size_t N>
struct described<std::array<T, N>> {
    static constexpr type_desc value{.kind = type_kind::array, .count = N, .size_bytes = sizeof(std::array<T, N>),
                                     .alignment_bytes = alignof(T), .element = &described<T>::value};
};

template <class T>
inline constexpr const type_desc& type_of = described<T>::value;

/// True for types that buffers, values and variables can hold.
template <class T>
inline constexpr bool is_described = requires { described<T>::value; };

template <class T>
inline constexpr bool is_boolean = std::is_same_v<component_t<T>, bool>;
template <class T>
inline constexpr bool is_floating = is_host_float<component_t<T>>;
template <class T>
inline constexpr bool is_integral = std::is_integral_v<component_t<T>> && !is_boolean<T>;
template <class T>
inline constexpr bool is_arithmetic = is_floating<T> || is_integral<T>;
template <class T>
inline constexpr bool is_enumeration = std::is_enum_v<T>;
/// An enum that QUERN_NEWTYPE made: an integer of its own, with an order.
template <class T>
inline constexpr bool is_newtype = requires(T t) { quern_newtype(t); };
template <class T>
inline constexpr bool is_signed_scalar = scalar_kind_of<T>() >= scalar_kind::i8 && scalar_kind_of<T>() <= scalar_kind::i64;
template <class T>
inline constexpr bool is_scalar_or_vec = scalar_kind_of<component_t<T>>() != scalar_kind::none;

template <class>
inline constexpr bool always_false = false;

}  // namespace quern::quern_detail
