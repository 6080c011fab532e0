// Enums: QUERN_ENUM lists the enumerators, match runs the arm of the traced enumerator and is exhaustive at compile
// time.
#pragma once

#include <quern/control.hpp>
#include <quern/detail/macros.hpp>

#include <cstddef>

namespace quern {

namespace quern_detail {

template <class E, std::size_t N>
struct enumerator_list {
    E values[N];
    const char* names;  ///< "ascending, descending"

    constexpr bool contains(E e) const {
        for (E v : values)
            if (v == e) return true;
        return false;
    }
};
template <class E, class... Es>
enumerator_list(const char*, E, Es...) -> enumerator_list<E, 1 + sizeof...(Es)>;

template <class E, class... Es>
constexpr auto list_enumerators(const char* names, E first, Es... rest) {
    return enumerator_list<E, 1 + sizeof...(Es)>{{first, rest...}, names};
}

template <class E>
inline constexpr bool is_listed = requires(E e) { quern_enumerators(e); };

template <auto E, class Body>
struct when_arm {
    static constexpr auto enumerator = E;
    Body& body;
    location where;
};
template <class Body>
struct otherwise_arm {
    Body& body;
    location where;
};

template <class Arm>
inline constexpr bool is_otherwise = false;
template <class Body>
inline constexpr bool is_otherwise<otherwise_arm<Body>> = true;

template <class E, class... Arms>
consteval bool covers_all() {
    if constexpr ((is_otherwise<Arms> || ...)) return true;
    else {
        for (E e : quern_enumerators(E{}).values)
            if (!((Arms::enumerator == e) || ...)) return false;
        return true;
    }
}
template <auto E, class Arm>
consteval std::size_t arms_for() {
    if constexpr (is_otherwise<Arm>) return 0;
    else return Arm::enumerator == E ? 1 : 0;
}
template <class... Arms, class Arm>
consteval bool is_single(const Arm*) {
    if constexpr (is_otherwise<Arm>) return (std::size_t{is_otherwise<Arms>} + ...) == 1;
    else return (arms_for<Arm::enumerator, Arms>() + ...) == 1;
}
template <class E, class Arm>
consteval bool is_of() {
    if constexpr (is_otherwise<Arm>) return true;
    else return std::is_same_v<std::remove_cv_t<decltype(Arm::enumerator)>, E>;
}

template <class Arm>
void record_arm(const Arm& arm) {
    if constexpr (is_otherwise<Arm>) begin_otherwise();
    else begin_case(static_cast<std::uint64_t>(Arm::enumerator));
    check_body<decltype(arm.body())>();
    arm.body();
    end_case();
}
template <class E, class Arm>
bool run_arm(E e, const Arm& arm) {
    if constexpr (is_otherwise<Arm>) return false;
    else {
        if (e != Arm::enumerator) return false;
        arm.body();
        return true;
    }
}
template <class Arm>
void run_otherwise(const Arm& arm) {
    if constexpr (is_otherwise<Arm>) arm.body();
}

/// The line of a match: that of its first arm, since an argument pack cannot be followed by a default.
template <class First, class... Rest>
const location& line_of(const First& first, const Rest&...) {
    return first.where;
}

}  // namespace quern_detail

/// An arm of match: `when<sort_order::ascending>([&] { … })`.
template <auto E, class Body>
quern_detail::when_arm<E, Body> when(Body&& body, quern_detail::location where = quern_detail::location::current()) {
    return {body, where};
}
/// The arm of match for every enumerator without one, and for values that are no enumerator.
template <class Body>
quern_detail::otherwise_arm<Body> otherwise(Body&& body, quern_detail::location where = quern_detail::location::current()) {
    return {body, where};
}

/// Runs the arm of the enumerator that e holds: traced enums in the kernel, host enums while tracing. Every enumerator
/// needs an arm, or there is an `otherwise`; a value that is no enumerator runs no other arm.
template <class X, class... Arms>
void match(const X& x, const Arms&... arms) {
    using E = quern_detail::operand_t<X>;
    static_assert(std::is_enum_v<E>, "quern: match needs an enum; for integers write if_(…).elif_(…)");
    static_assert(quern_detail::is_listed<E>, "quern: match needs to know the enumerators: write QUERN_ENUM(your_enum, …) "
                                        "after the enum");
    static_assert((quern_detail::is_of<E, Arms>() && ...), "quern: an arm of this match is of another enum: write "
                                                             "when<your_enum::enumerator>(…) with the matched enum");
    if constexpr (std::is_enum_v<E> && quern_detail::is_listed<E> && (quern_detail::is_of<E, Arms>() && ...)) {
        static_assert((quern_detail::is_single<Arms...>(static_cast<const Arms*>(nullptr)) && ...),
                      "quern: two arms of this match are for the same enumerator: remove one");
        static_assert(quern_detail::covers_all<E, Arms...>(),
                      "quern: this match is not exhaustive: add a when<…> for every enumerator, or an otherwise");
        if constexpr (quern_detail::is_traced<X>) {
            quern_detail::begin_switch(x.traced_node(), quern_detail::type_of<E>, quern_detail::line_of(arms...));
            (quern_detail::record_arm(arms), ...);
            quern_detail::end_switch();
        } else if (!(quern_detail::run_arm(x, arms) || ...)) {
            (quern_detail::run_otherwise(arms), ...);
        }
    }
}

}  // namespace quern

#define QUERN_DETAIL_CASE(E, enumerator) case E::enumerator:

/// QUERN_ENUM(sort_order, ascending, descending): tells the enumerators of an enum, in its own namespace. One that is
/// left out is a compile error.
#define QUERN_ENUM(E, ...)                                                              \
    [[maybe_unused]] constexpr auto quern_enumerators(E) {                              \
        using enum E;                                                                   \
        return ::quern::quern_detail::list_enumerators(#__VA_ARGS__, __VA_ARGS__);            \
    }                                                                                   \
    [[maybe_unused]] constexpr bool quern_enumerators_are_complete(E quern_e) {         \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wswitch\"")     \
        switch (quern_e) { QUERN_DETAIL_FOR_EACH(QUERN_DETAIL_CASE, E, __VA_ARGS__) return true; }            \
        _Pragma("GCC diagnostic pop") return false;                                     \
    }                                                                                   \
    static_assert(true)
