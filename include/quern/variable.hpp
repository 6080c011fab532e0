// var<T>: a mutable variable of each invocation. Copying or moving one declares a new variable; assigning stores.
#pragma once

#include <quern/place.hpp>

namespace quern {

/// `var acc = 0.f;` declares and initialises; `acc = e`, `acc += e`, `++acc` store; using it reads it at that moment.
template <class T>
class var : public traced_object,
            public quern_detail::place_parts<var<T>, T, quern_detail::place_access::read_write>,
            public quern_detail::assignable<var<T>, T> {
    static_assert(quern_detail::is_described<T>, "quern: var<T> needs a type that the language knows: bool, an integer, "
                                           "half, bfloat16, float, double, a vec, std::array, an enum, a struct with QUERN_STRUCT");

public:
    using value_type = T;

    template <class X>
        requires(quern_detail::is_traced_as<X, T>() || (!quern_detail::is_traced<X> && quern_detail::host_converts<T, std::remove_cvref_t<X>>()))
    var(const X& x, quern_detail::location where = quern_detail::location::current())  // NOLINT: converts on purpose
        : var(quern_detail::record_variable(quern_detail::type_of<T>, quern_detail::capture<T>(x), where), where, traced_tag{}) {}

    var(const var& other, quern_detail::location where = quern_detail::location::current())
        : var(quern_detail::record_variable(quern_detail::type_of<T>, other.traced_node(), where), where, traced_tag{}) {}

    void operator=(quern_detail::operand<T> e) { traced_store(e.value, e.where); }
    var& operator=(const var&) requires(false);

    quern_detail::node traced_node() const { return quern_detail::record_load(place_, quern_detail::type_of<T>, nullptr); }
    quern_detail::place_handle traced_place() const { return place_; }
    const quern_detail::location& traced_location() const { return where_; }
    void traced_store(quern_detail::node n, const quern_detail::location& where) const { quern_detail::record_store(place_, n, where); }

private:
    struct traced_tag {};
    var(quern_detail::place_handle p, const quern_detail::location& where, traced_tag)
        : quern_detail::place_parts<var, T, quern_detail::place_access::read_write>(quern_detail::place_root{p, {}}),
          place_(p), where_(where) {}

    quern_detail::place_handle place_;
    quern_detail::location where_;
};

template <class X>
var(const X&) -> var<quern_detail::operand_t<X>>;
template <class X>
var(const X&, quern_detail::location) -> var<quern_detail::operand_t<X>>;

}  // namespace quern
