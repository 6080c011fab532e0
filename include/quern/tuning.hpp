// What a kernel says about itself while it is traced: workgroup size, tunables, requirements, maths mode, promises, and
// what it asks about its target.
#pragma once

#include <quern/detail/traced.hpp>
#include <quern/target.hpp>

#include <initializer_list>

namespace quern {

/// How exact floating-point arithmetic is: contract (default: a*b+c may fuse), precise (no contraction), fast (also
/// reassociation and approximations; no NaN, infinity or -0).
enum class math : std::uint8_t { contract, precise, fast };

namespace quern_detail {

void record_workgroup_size(std::uint64_t x, std::uint64_t y, std::uint64_t z, const location& where);
void record_covers(std::uint64_t m, std::uint64_t n, const location& where);
void record_math_mode(math m, const location& where);
void record_requirement(bool holds);
std::int64_t record_tunable(const char* name, const std::int64_t* values, std::size_t count, const location& where);
const target_info& record_target(const location& where);

/// A trace-time size: any host integer; a negative one is a usage_error later, as a huge one.
struct host_size {
    std::uint64_t value;
    template <class I>
    host_size(const I& i) : value(0) {  // NOLINT: converts on purpose
        static_assert(std::is_integral_v<I>, "quern: a size is a host integer, known while tracing: write a constant or "
                                             "a tune(…) value, or capture a host variable");
        if constexpr (std::is_integral_v<I>) value = static_cast<std::uint64_t>(i);
    }
};

}  // namespace quern_detail

/// Fixes the workgroup size, in invocations. Tuned values are allowed. usage_error for 0 and for a second, other size.
inline void workgroup_size(quern_detail::host_size x, quern_detail::location where = quern_detail::location::current()) {
    quern_detail::record_workgroup_size(x.value, 1, 1, where);
}
inline void workgroup_size(quern_detail::host_size x, quern_detail::host_size y, quern_detail::location where = quern_detail::location::current()) {
    quern_detail::record_workgroup_size(x.value, y.value, 1, where);
}
inline void workgroup_size(quern_detail::host_size x, quern_detail::host_size y, quern_detail::host_size z,
                           quern_detail::location where = quern_detail::location::current()) {
    quern_detail::record_workgroup_size(x.value, y.value, z.value, where);
}

/// The part of a `tiles` launch that one workgroup computes, in elements.
inline void covers(quern_detail::host_size m, quern_detail::location where = quern_detail::location::current()) {
    quern_detail::record_covers(m.value, 1, where);
}
inline void covers(quern_detail::host_size m, quern_detail::host_size n, quern_detail::location where = quern_detail::location::current()) {
    quern_detail::record_covers(m.value, n.value, where);
}

/// Picks the maths mode of the whole kernel.
inline void math_mode(math m, quern_detail::location where = quern_detail::location::current()) { quern_detail::record_math_mode(m, where); }

/// A tunable: a plain integer while tracing. The first value is the default; the tuner may choose another.
template <std::integral I>
I tune(const char* name, std::initializer_list<I> values, quern_detail::location where = quern_detail::location::current()) {
    std::int64_t wide[64];
    std::size_t n = 0;
    for (I v : values)
        if (n < 64) wide[n++] = static_cast<std::int64_t>(v);
    return static_cast<I>(quern_detail::record_tunable(name, wide, values.size() > 64 ? values.size() : n, where));
}

/// Prunes: these tuned values are not tried. If the defaults fail and nothing else is left, launching is a usage_error.
inline void require(bool holds) { quern_detail::record_requirement(holds); }

/// The device that the kernel is traced for.
inline const target_info& target(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::record_target(where);
}

/// A promise that the condition holds; undefined behaviour where it does not.
inline void assume(quern_detail::condition c) { quern_detail::record_assume(c.value, c.where); }

}  // namespace quern
