// var<T>: a mutable variable of each invocation. Copying or moving one declares a new variable; assigning stores.
#pragma once

#include <quern/place.hpp>

namespace quern {

/// `var acc = 0.f;` declares and initialises; `acc = e`, `acc += e`, `++acc` store; using it reads it at that moment.
template <class T>
class var : public traced_object,
            public detail::vector_place<var<T>, T, detail::place_access::read_write>,
            public detail::assignable<var<T>, T> {
    static_assert(detail::is_described<T>, "quern: var<T> needs a type that the language knows: bool, an integer, "
                                           "float, double, a vec, std::array, an enum");

public:
    using value_type = T;

    template <class X>
        requires(detail::is_traced_as<X, T>() || (!detail::is_traced<X> && detail::host_converts<T, std::remove_cvref_t<X>>()))
    var(const X& x, detail::location where = detail::location::current())  // NOLINT: converts on purpose
        : place_(detail::record_variable(detail::type_of<T>, detail::capture<T>(x), where)), where_(where) {}

    var(const var& other, detail::location where = detail::location::current())
        : place_(detail::record_variable(detail::type_of<T>, other.traced_node(), where)), where_(where) {}

    void operator=(detail::operand<T> e) { store(e.value, e.where); }
    var& operator=(const var&) requires(false);

    detail::node traced_node() const { return detail::record_load(place_, detail::type_of<T>, nullptr); }
    detail::place_handle traced_place() const { return place_; }
    const detail::location& traced_location() const { return where_; }
    void store(detail::node n, const detail::location& where) const { detail::record_store(place_, n, where); }

private:
    detail::place_handle place_;
    detail::location where_;
};

template <class X>
var(const X&) -> var<detail::operand_t<X>>;
template <class X>
var(const X&, detail::location) -> var<detail::operand_t<X>>;

}  // namespace quern
