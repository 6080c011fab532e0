// val<T>: an immutable traced value with a name. Evaluated where it is declared, usable until its block ends.
#pragma once

#include <quern/detail/value_parts.hpp>

namespace quern {

namespace quern_detail {

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

}  // namespace quern_detail

/// `val x = e;` evaluates e here; `val<float> k = 2;` takes a host value. As a kernel parameter it is a scalar, vector
/// or struct that is passed at launch. Values of host constants may be made outside kernels.
template <class T>
class val : public traced_object, public quern_detail::immutable, public quern_detail::value_parts<val<T>, T> {
    static_assert(quern_detail::is_described<T>, "quern: val<T> needs a type that the language knows: bool, an integer, "
                                           "half, bfloat16, float, double, a vec, std::array, an enum, a struct with QUERN_STRUCT");

public:
    using value_type = T;

    template <class X>
        requires(quern_detail::is_traced_as<X, T>() || (!quern_detail::is_traced<X> && quern_detail::host_converts<T, std::remove_cvref_t<X>>()))
    val(const X& x, quern_detail::location where = quern_detail::location::current())  // NOLINT: converts on purpose
        : val(quern_detail::record_value(quern_detail::capture<T>(x), where), traced_tag{}) {}

    val(const val&) = default;
    val& operator=(const val&) {
        this->template refuse<T>();
        return *this;
    }

    quern_detail::node traced_node() const { return node_; }

    static val from_node(quern_detail::node n) { return val(n, traced_tag{}); }

private:
    struct traced_tag {};
    val(quern_detail::node n, traced_tag) : quern_detail::value_parts<val<T>, T>(n), node_(n) {}

    quern_detail::node node_;
};

template <class X>
val(const X&) -> val<quern_detail::operand_t<X>>;
template <class X>
val(const X&, quern_detail::location) -> val<quern_detail::operand_t<X>>;

/// The value itself.
template <traced X>
auto operator+(X&& x) {
    quern_detail::check_operand<X>();
    quern_detail::check_type<quern_detail::operand_class::arithmetic, quern_detail::value_t<X>>();
    return val<quern_detail::value_t<X>>(x);
}

}  // namespace quern
