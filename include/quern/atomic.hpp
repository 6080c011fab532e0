// Atomic operations on places: relaxed, returning the old value. 32-bit integers everywhere, 64-bit ones by
// feature::atomic_int64; float and double places take add, min, max, exchange, load and store.
#pragma once

#include <quern/place.hpp>

namespace quern {

namespace quern_detail {

template <op Op, class Place>
consteval void check_atomic() {
    static_assert(requires { Place::traced_access; },
                  "quern: an atomic operation needs a place in a buffer or in shared memory: write "
                  "atomic_add(counter[0], 1u)");
    if constexpr (requires { Place::traced_access; }) {
        if constexpr (Op != op::atomic_store) check_readable<Place::traced_access>();
        if constexpr (Op != op::atomic_load) check_writable<Place::traced_access>();
    }
    using T = value_t<Place>;
    static_assert((is_integral<T> || is_floating<T>) && !is_vec<T> && sizeof(T) >= 4,
                  "quern: atomic operations work on 32- and 64-bit integers, float and double: declare the buffer or "
                  "shared array with one of these");
    static_assert(!is_floating<T> || (Op != op::atomic_sub && Op != op::atomic_and && Op != op::atomic_or &&
                                      Op != op::atomic_xor && Op != op::atomic_compare_exchange),
                  "quern: floating places take atomic_add, min, max, exchange, load and store only: write "
                  "atomic_add(p, -x) to subtract");
}

template <op Op, class Place, class... Node>
auto atomic(const Place& p, const location& where, Node... operands) {
    check_atomic<Op, Place>();
    using T = value_t<Place>;
    const node nodes[] = {operands..., node{}};
    return val<T>::from_node(record_atomic(Op, type_of<T>, p.traced_place(), nodes, sizeof...(Node), where));
}

/// value_type of a place argument, spelled so that it is not deduced.
template <class Place>
using atomic_operand = operand<value_t<Place>>;

}  // namespace quern_detail

/// Replaces the place by old + v; returns the old value.
template <traced Place>
auto atomic_add(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_add>(p, v.where, v.value);
}

/// Replaces the place by old - v; returns the old value.
template <traced Place>
auto atomic_sub(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_sub>(p, v.where, v.value);
}

/// Replaces the place by min(old, v); returns the old value.
template <traced Place>
auto atomic_min(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_min>(p, v.where, v.value);
}

/// Replaces the place by max(old, v); returns the old value.
template <traced Place>
auto atomic_max(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_max>(p, v.where, v.value);
}

/// Replaces the place by old & v; returns the old value.
template <traced Place>
auto atomic_and_(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_and>(p, v.where, v.value);
}

/// Replaces the place by old | v; returns the old value.
template <traced Place>
auto atomic_or_(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_or>(p, v.where, v.value);
}

/// Replaces the place by old ^ v; returns the old value.
template <traced Place>
auto atomic_xor_(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_xor>(p, v.where, v.value);
}

/// Replaces the place by v; returns the old value.
template <traced Place>
auto atomic_exchange(const Place& p, quern_detail::atomic_operand<Place> v) {
    return quern_detail::atomic<quern_detail::op::atomic_exchange>(p, v.where, v.value);
}

/// Replaces the place by `desired` if it equals `expected`; returns the old value, which tells whether it did.
template <traced Place>
auto atomic_compare_exchange(const Place& p, quern_detail::atomic_operand<Place> expected,
                             quern_detail::atomic_operand<Place> desired) {
    return quern_detail::atomic<quern_detail::op::atomic_compare_exchange>(p, expected.where, expected.value, desired.value);
}
/// Reads the place, whole.
template <traced Place>
auto atomic_load(const Place& p, quern_detail::location where = quern_detail::location::current()) {
    return quern_detail::atomic<quern_detail::op::atomic_load>(p, where);
}
/// Writes the place, whole.
template <traced Place>
void atomic_store(const Place& p, quern_detail::atomic_operand<Place> v) {
    quern_detail::check_atomic<quern_detail::op::atomic_store, Place>();
    quern_detail::record_atomic(quern_detail::op::atomic_store, quern_detail::type_of<quern_detail::value_t<Place>>, p.traced_place(), &v.value, 1,
                          v.where);
}

}  // namespace quern
