// What the invocations of a workgroup do together: barriers, fences, and exchange between the lanes of a subgroup.
// barrier() needs workgroup-uniform control, subgroup operations subgroup-uniform control: usage_error otherwise.
#pragma once

#include <quern/place.hpp>

namespace quern {

/// Who a fence is for.
enum class scope : std::uint8_t { workgroup, device };

/// Waits for all invocations of the workgroup; orders shared and global memory among them.
inline void barrier(quern_detail::location where = quern_detail::location::current()) { quern_detail::record_barrier(where); }
/// Orders this invocation's memory accesses as others see them; scope::device is acquire-release between workgroups.
inline void fence(scope s, quern_detail::location where = quern_detail::location::current()) {
    quern_detail::record_fence(s == scope::device, where);
}
/// barrier(), a load of a shared place, barrier(): its value, known to be the same in the whole workgroup.
template <class Place>
auto uniform_load(const Place& shared_place, quern_detail::location where = quern_detail::location::current()) {
    static_assert(requires { Place::traced_access; }, "quern: uniform_load takes a place of shared memory: write "
                                               "uniform_load(tile[0])");
    using T = quern_detail::value_t<Place>;
    if constexpr (requires { Place::traced_access; })
        return val<T>::from_node(quern_detail::record_uniform_load(shared_place.traced_place(), quern_detail::type_of<T>, where));
}

namespace quern_detail {

template <op Op, class T, class... X>
val<T> convergent(const location& where, const X&... x) {
    static_assert(is_scalar_or_vec<T>, "quern: lanes exchange scalars and vectors: write it for the members of a struct");
    const node operands[] = {x...};
    return val<T>::from_node(record_convergent(Op, type_of<T>, operands, sizeof...(X), where));
}

}  // namespace quern_detail

/// The sum over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_add(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_arithmetic<T>, "quern: subgroup_add needs integers or floats");
    return quern_detail::convergent<quern_detail::op::subgroup_add, T>(where, x.traced_node());
}

/// The product over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_mul(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_arithmetic<T>, "quern: subgroup_mul needs integers or floats");
    return quern_detail::convergent<quern_detail::op::subgroup_mul, T>(where, x.traced_node());
}

/// The minimum over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_min(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_arithmetic<T>, "quern: subgroup_min needs integers or floats");
    return quern_detail::convergent<quern_detail::op::subgroup_min, T>(where, x.traced_node());
}

/// The maximum over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_max(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_arithmetic<T>, "quern: subgroup_max needs integers or floats");
    return quern_detail::convergent<quern_detail::op::subgroup_max, T>(where, x.traced_node());
}

/// The bitwise and over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_and_(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_integral<T>, "quern: subgroup_and_ needs integers");
    return quern_detail::convergent<quern_detail::op::subgroup_and, T>(where, x.traced_node());
}

/// The bitwise or over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_or_(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_integral<T>, "quern: subgroup_or_ needs integers");
    return quern_detail::convergent<quern_detail::op::subgroup_or, T>(where, x.traced_node());
}

/// The bitwise exclusive or over the active lanes of the subgroup, in every lane.
template <traced X>
auto subgroup_xor_(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_integral<T>, "quern: subgroup_xor_ needs integers");
    return quern_detail::convergent<quern_detail::op::subgroup_xor, T>(where, x.traced_node());
}

/// The sum over the active lanes up to this one, itself included.
template <traced X>
auto subgroup_inclusive_add(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_arithmetic<T>, "quern: subgroup_inclusive_add needs integers or floats");
    return quern_detail::convergent<quern_detail::op::subgroup_inclusive_add, T>(where, x.traced_node());
}

/// The sum over the active lanes before this one.
template <traced X>
auto subgroup_exclusive_add(const X& x, quern_detail::location where = quern_detail::location::current()) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_arithmetic<T>, "quern: subgroup_exclusive_add needs integers or floats");
    return quern_detail::convergent<quern_detail::op::subgroup_exclusive_add, T>(where, x.traced_node());
}

/// The value of one lane, the same `lane` in all; undefined where that lane is off or does not exist.
template <traced X>
auto subgroup_broadcast(const X& x, quern_detail::operand<uint> lane) {
    using T = quern_detail::value_t<X>;
    return quern_detail::convergent<quern_detail::op::subgroup_broadcast, T>(lane.where, x.traced_node(), lane.value);
}

/// The value of lane `lane`; undefined where that lane is off or does not exist.
template <traced X>
auto subgroup_shuffle(const X& x, quern_detail::operand<uint> lane) {
    using T = quern_detail::value_t<X>;
    return quern_detail::convergent<quern_detail::op::subgroup_shuffle, T>(lane.where, x.traced_node(), lane.value);
}

/// The value of lane (subgroup_lane() ^ mask); undefined where that lane is off or does not exist.
template <traced X>
auto subgroup_shuffle_xor(const X& x, quern_detail::operand<uint> mask) {
    using T = quern_detail::value_t<X>;
    return quern_detail::convergent<quern_detail::op::subgroup_shuffle_xor, T>(mask.where, x.traced_node(), mask.value);
}

/// The value of lane (subgroup_lane() - delta); undefined where that lane is off or does not exist.
template <traced X>
auto subgroup_shuffle_up(const X& x, quern_detail::operand<uint> delta) {
    using T = quern_detail::value_t<X>;
    return quern_detail::convergent<quern_detail::op::subgroup_shuffle_up, T>(delta.where, x.traced_node(), delta.value);
}

/// The value of lane (subgroup_lane() + delta); undefined where that lane is off or does not exist.
template <traced X>
auto subgroup_shuffle_down(const X& x, quern_detail::operand<uint> delta) {
    using T = quern_detail::value_t<X>;
    return quern_detail::convergent<quern_detail::op::subgroup_shuffle_down, T>(delta.where, x.traced_node(), delta.value);
}

/// True if any active lane says true.
inline val<bool> subgroup_any(quern_detail::condition c) {
    return quern_detail::convergent<quern_detail::op::subgroup_any, bool>(c.where, c.value);
}

/// True if all active lanes say true.
inline val<bool> subgroup_all(quern_detail::condition c) {
    return quern_detail::convergent<quern_detail::op::subgroup_all, bool>(c.where, c.value);
}

/// One bit for each active lane that says true, lane 0 lowest.
inline val<uint4> subgroup_ballot(quern_detail::condition c) {
    return quern_detail::convergent<quern_detail::op::subgroup_ballot, uint4>(c.where, c.value);
}

}  // namespace quern
