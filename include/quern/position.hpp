// Where an invocation stands: ids and counts. One dimension is a scalar (x), two or three a vector.
#pragma once

#include <quern/value.hpp>

namespace quern {

namespace quern_detail {

template <class T, int N>
using position_t = std::conditional_t<N == 1, T, vec<T, N == 1 ? 2 : N>>;

template <op Op, class T, int N>
val<position_t<T, N>> position(const location& where) {
    static_assert(N >= 1 && N <= 3, "quern: a position has 1, 2 or 3 dimensions");
    node parts[N];
    for (int i = 0; i < N; ++i)
        parts[i] = record_operation(Op, type_of<T>, nullptr, 0, static_cast<std::uint64_t>(i));
    if constexpr (N == 1) return val<T>::from_node(record_value(parts[0], where));
    else return val<vec<T, N>>::from_node(record_value(record_operation(op::construct, type_of<vec<T, N>>, parts, N), where));
}

}  // namespace quern_detail

/// This invocation among all of the launch.
template <int N = 1>
auto global_id(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::global_id, uint, N>(where);
}

/// The same in 64 bits, for launches beyond 2^32 - 1 invocations.
template <int N = 1>
auto global_id64(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::global_id, std::uint64_t, N>(where);
}

/// This invocation within its workgroup.
template <int N = 1>
auto local_id(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::local_id, uint, N>(where);
}

/// This workgroup within the launch.
template <int N = 1>
auto workgroup_id(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::workgroup_id, uint, N>(where);
}

/// Number of workgroups.
template <int N = 1>
auto workgroup_count(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::workgroup_count, uint, N>(where);
}

/// The launch's extents: invocations of `over`, elements of `tiles`.
template <int N = 1>
auto extent(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::extent, uint, N>(where);
}

/// Number of lanes of a subgroup.
inline val<uint> subgroup_size(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::subgroup_size, uint, 1>(where);
}

/// This invocation within its subgroup.
inline val<uint> subgroup_lane(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::subgroup_lane, uint, 1>(where);
}

/// This subgroup within its workgroup.
inline val<uint> subgroup_id(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::subgroup_id, uint, 1>(where);
}

/// Number of subgroups in the workgroup.
inline val<uint> subgroup_count(quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::position<quern_detail::op::subgroup_count, uint, 1>(where);
}

}  // namespace quern
