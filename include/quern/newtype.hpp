// Newtypes: an integer type of its own, told apart from others at compile time and the same code on the device.
#pragma once

#include <quern/detail/type_of.hpp>

#include <type_traits>

namespace quern::quern_detail {

template <class T>
struct newtype_of {
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                  "quern: QUERN_NEWTYPE makes a type of an integer: write uint, or wrap a struct");
    using type = T;
};

}  // namespace quern::quern_detail

/// QUERN_NEWTYPE(particle_id, uint): a type with the values of uint that compares with itself only, has no arithmetic and
/// works as an index. From and to integers: particle_id{3} and static_cast on the host, cast<particle_id>(e) and
/// cast<uint>(e) in kernels. Stands in the namespace that the type shall have.
#define QUERN_NEWTYPE(name, T)                                                           \
    enum class name : typename ::quern::quern_detail::newtype_of<T>::type {};            \
    [[maybe_unused]] constexpr void quern_newtype(name) {}                               \
    static_assert(::quern::quern_detail::is_newtype<name>)
