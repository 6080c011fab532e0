// val<T>: an immutable traced value with a name. Evaluated where it is declared, usable until its block ends.
#pragma once

#include <quern/expression.hpp>

namespace quern {

namespace detail {

/// What a val says when it is to be changed.
struct immutable {
    template <class X> void operator+=(const X&) const { refuse<X>(); }
    template <class X> void operator-=(const X&) const { refuse<X>(); }
    template <class X> void operator*=(const X&) const { refuse<X>(); }
    template <class X> void operator/=(const X&) const { refuse<X>(); }
    template <class X> void operator%=(const X&) const { refuse<X>(); }
    template <class X> void operator&=(const X&) const { refuse<X>(); }
    template <class X> void operator|=(const X&) const { refuse<X>(); }
    template <class X> void operator^=(const X&) const { refuse<X>(); }
    template <class X> void operator<<=(const X&) const { refuse<X>(); }
    template <class X> void operator>>=(const X&) const { refuse<X>(); }
    template <class X = void> void operator++() const { refuse<X>(); }
    template <class X = void> void operator--() const { refuse<X>(); }
    template <std::same_as<int> X> void operator++(X) const { refuse<X>(); }
    template <std::same_as<int> X> void operator--(X) const { refuse<X>(); }

protected:
    template <class X>
    static consteval void refuse() {
        static_assert(always_false<X>, "quern: a val never changes: declare it as `var` to assign to it");
    }
};

}  // namespace detail

/// `val x = e;` evaluates e here; `val<float> k = 2;` takes a host value. As a kernel parameter it is a scalar, vector
/// or struct that is passed at launch. Values of host constants may be made outside kernels.
template <class T>
class val : public traced_object, public detail::immutable, public detail::vector_value<val<T>, T> {
    static_assert(detail::is_described<T>, "quern: val<T> needs a type that the language knows: bool, an integer, "
                                           "float, double, a vec, std::array, an enum");

public:
    using value_type = T;

    template <class X>
        requires(detail::is_traced_as<X, T>() || (!detail::is_traced<X> && detail::host_converts<T, std::remove_cvref_t<X>>()))
    val(const X& x, detail::location where = detail::location::current())  // NOLINT: converts on purpose
        : node_(detail::record_value(detail::capture<T>(x), where)) {}

    val(const val&) = default;
    val& operator=(const val&) {
        this->template refuse<T>();
        return *this;
    }

    detail::node traced_node() const { return node_; }

    static val from_node(detail::node n) { return val(n, from{}); }

private:
    struct from {};
    val(detail::node n, from) : node_(n) {}

    detail::node node_;
};

template <class X>
val(const X&) -> val<detail::operand_t<X>>;
template <class X>
val(const X&, detail::location) -> val<detail::operand_t<X>>;

/// The value itself.
template <traced X>
auto operator+(X&& x) {
    detail::check_operand<X>();
    detail::check_type<detail::operand_class::arithmetic, detail::value_t<X>>();
    return val<detail::value_t<X>>(x);
}

}  // namespace quern
