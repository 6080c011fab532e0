// The host side of the language's types: uint, vec and its aliases. A vec lies in memory as N components and is
// aligned like one component, on the host and on every device.
#pragma once

#include <quern/half.hpp>

#include <cstddef>
#include <cstdint>

namespace quern {

using uint = unsigned int;

/// N components of T, N = 2, 3 or 4. Size N * sizeof(T), alignment of T.
template <class T, int N>
struct vec {
    static_assert(N >= 2 && N <= 4, "a vec has 2, 3 or 4 components");
    using component_type = T;
    static constexpr int component_count = N;

    T components[N];

    constexpr T& operator[](std::size_t i) { return components[i]; }
    constexpr const T& operator[](std::size_t i) const { return components[i]; }
    constexpr T& x() { return components[0]; }
    constexpr const T& x() const { return components[0]; }
    constexpr T& y() { return components[1]; }
    constexpr const T& y() const { return components[1]; }
    constexpr T& z() requires(N > 2) { return components[2]; }
    constexpr const T& z() const requires(N > 2) { return components[2]; }
    constexpr T& w() requires(N > 3) { return components[3]; }
    constexpr const T& w() const requires(N > 3) { return components[3]; }

    friend constexpr bool operator==(const vec&, const vec&) = default;
};

using bool2 = vec<bool, 2>;
using bool3 = vec<bool, 3>;
using bool4 = vec<bool, 4>;
using int2 = vec<int, 2>;
using int3 = vec<int, 3>;
using int4 = vec<int, 4>;
using uint2 = vec<uint, 2>;
using uint3 = vec<uint, 3>;
using uint4 = vec<uint, 4>;
using float2 = vec<float, 2>;
using float3 = vec<float, 3>;
using float4 = vec<float, 4>;
using half2 = vec<half, 2>;
using half3 = vec<half, 3>;
using half4 = vec<half, 4>;
using double2 = vec<double, 2>;
using double3 = vec<double, 3>;
using double4 = vec<double, 4>;

}  // namespace quern
