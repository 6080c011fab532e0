// What all traced objects share: the base that makes operators find them, the concepts, and how operators take
// operands (capture). Reading a variable or a place happens at the moment of capture.
#pragma once

#include <quern/detail/record.hpp>
#include <quern/detail/reflection.hpp>
#include <quern/detail/type_of.hpp>

#include <concepts>
#include <type_traits>

namespace quern {

/// Base of every object that stands for a traced value. Lives in quern so that operators are found from anywhere.
struct traced_object {
    template <std::same_as<bool> Bool>
    explicit operator Bool() const {
        static_assert(quern_detail::always_false<Bool>,
                      "quern: a traced value is not known while C++ runs: write if_(condition, [&] { … }), while_ or "
                      "select(condition, a, b) instead of if, while or ?:");
        return false;
    }
};

namespace quern_detail {

template <class X>
inline constexpr bool is_traced = std::is_base_of_v<traced_object, std::remove_cvref_t<X>>;

/// The element type of a traced object.
template <class X>
using value_t = typename std::remove_cvref_t<X>::value_type;

template <class X, class T>
consteval bool is_traced_as() {
    if constexpr (is_traced<X>) return std::is_same_v<value_t<X>, T>;
    else return false;
}

/// Named places: reading needs `val` first.
template <class X>
inline constexpr bool is_place_reference = requires { typename std::remove_cvref_t<X>::is_place_reference; };

template <class X>
consteval void check_operand() {
    static_assert(!(std::is_lvalue_reference_v<X> && is_place_reference<X>),
                  "quern: this name stands for a place, not for a value: write `val r = y[i];` for the value or "
                  "`place r = y[i];` for the place");
}

/// True where host values of type H may stand for T at all; whether the value fits is checked while tracing.
template <class T, class H>
consteval bool host_converts() {
    using C = component_t<T>;
    if constexpr (std::is_same_v<T, H>) return true;
    else if constexpr (!is_scalar_or_vec<T> || !is_scalar_or_vec<H>) return false;
    else if constexpr (is_vec<H>) return is_vec<T> && width<T> == width<H> && host_converts<C, component_t<H>>();
    else if constexpr (std::is_same_v<C, bool> || std::is_same_v<H, bool>) return std::is_same_v<C, H>;
    else if constexpr (std::is_enum_v<C> || std::is_enum_v<H>) return std::is_same_v<C, H>;
    else if constexpr (is_host_float<C>) return is_host_number<H>;
    else return std::is_integral_v<C> && std::is_integral_v<H>;
}

/// One host scalar as a constant of scalar type C.
template <class C, class H>
node scalar_constant(const H& h) {
    if constexpr (std::is_same_v<C, H>) return record_constant(type_of<C>, &h);
    else {
        const C c = static_cast<C>(h);
        if constexpr (std::is_integral_v<H>) {
            if (!is_representable<C>(h)) {
                if constexpr (std::is_signed_v<H>) return record_unrepresentable(type_of<C>, static_cast<long long>(h));
                else return record_unrepresentable(type_of<C>, static_cast<unsigned long long>(h));
            }
        }
        return record_constant(type_of<C>, &c);
    }
}

/// Refuses a struct whose members do not lie where its description says; only a run can tell for some.
template <class T>
void check_layout(const location& where = location::current()) {
    if constexpr (!is_scalar_or_vec<T>)
        if (!layout_check<T>::holds())
            fail_usage("the members of this struct do not lie as their types say (alignas?): write QUERN_STRUCT in place of "
                       "BOOST_HANA_ADAPT_STRUCT", where);
}

/// A host value as a constant of T: scalars are repeated in every component of a vector.
template <class T, class H>
node host_constant(const H& h) {
    if constexpr (std::is_same_v<T, H>) {
        check_layout<T>();
        return record_constant(type_of<T>, &h);
    } else if constexpr (is_vec<T>) {
        node components[static_cast<std::size_t>(width<T>)];
        for (std::size_t i = 0; i < static_cast<std::size_t>(width<T>); ++i) {
            if constexpr (is_vec<H>) components[i] = scalar_constant<component_t<T>>(h[i]);
            else components[i] = scalar_constant<component_t<T>>(h);
        }
        return record_operation(op::construct, type_of<T>, components, static_cast<std::size_t>(width<T>));
    } else return scalar_constant<T>(h);
}

/// Says why a traced V is no operand of type T.
template <class T, class V>
consteval void check_conversion() {
    constexpr bool same_components = std::is_same_v<component_t<V>, component_t<T>>;
    static_assert(is_scalar_or_vec<V> && is_scalar_or_vec<T>,
                  "quern: a struct or an array does not convert: write its members or elements");
    static_assert(!same_components, "quern: the operands have different numbers of components: write v.x() or v.xy() "
                                    "to take some, make_vec(x, y, z) to build a vector");
    static_assert(same_components, "quern: the operands have different element types and nothing converts by itself: "
                                   "write cast<T>(e) around one of them");
}

/// The node of an operand of type T: traced objects of T, of T's component (repeated), or host values.
template <class T, class X>
node capture(const X& x) {
    if constexpr (is_traced<X>) {
        using V = value_t<X>;
        if constexpr (std::is_same_v<V, T>) return x.traced_node();
        else if constexpr (is_vec<T> && std::is_same_v<V, component_t<T>>)
            return record_broadcast(x.traced_node(), type_of<T>);
        else {
            check_conversion<T, V>();
            return {};
        }
    } else if constexpr (host_converts<T, X>()) return host_constant<T>(x);
    else {
        static_assert(!(is_host_float<component_t<X>> && is_integral<T>),
                      "quern: a floating host value never becomes an integer by itself: write an integer, or cast the "
                      "traced operand with cast<float>(e)");
        static_assert(is_host_float<component_t<X>> && is_integral<T>,
                      "quern: this host value cannot stand for an operand of this type: write a value of the traced "
                      "operand's type, or cast<T>(e)");
        return {};
    }
}

template <class X>
node capture_any(const X& x) {
    if constexpr (is_traced<X>) return x.traced_node();
    else return host_constant<X>(x);
}

/// The value type of an operand: of a traced object its own, of a host value its C++ type.
template <class X>
struct operand_type {
    using type = std::remove_cvref_t<X>;
};
template <class X>
    requires is_traced<X>
struct operand_type<X> {
    using type = value_t<X>;
};
template <class X>
using operand_t = typename operand_type<X>::type;

/// The type in which two operands meet: the traced one's element type, in the shape of the wider one.
template <class L, class R>
struct common {
    using left = operand_t<L>;
    using right = operand_t<R>;
    using shape = std::conditional_t<is_vec<left>, left, right>;
    using type = like_t<shape, component_t<std::conditional_t<is_traced<L>, left, right>>>;
};
template <class L, class R>
using common_t = typename common<L, R>::type;

/// An operand of known type T with the user's line: the parameter type of assignments, stores and functions.
template <class T>
struct operand {
    node value;
    location where;

    template <class X>
        requires(!std::is_same_v<std::remove_cvref_t<X>, operand>)
    operand(X&& x, location l = location::current())  // NOLINT: converts on purpose
        : value((check_operand<X>(), capture<T>(x))), where(l) {}
};

/// An index: any traced integer scalar or host integer.
struct index {
    node value;
    location where;

    template <class X>
        requires(!std::is_same_v<X, index>)
    index(const X& x, location l = location::current()) : where(l) {  // NOLINT: converts on purpose
        if constexpr (is_traced<X>) {
            using V = value_t<X>;
            static_assert((std::is_integral_v<V> && !std::is_same_v<V, bool>) || is_newtype<V>,
                          "quern: an index is an integer scalar: write cast<uint>(e)");
            value = x.traced_node();
            if constexpr (sizeof(V) < sizeof(uint)) {  // an index of the IR has 32 bits or more
                using Wide = std::conditional_t<is_signed_scalar<V>, int, uint>;
                value = record_operation(op::cast, type_of<Wide>, &value, 1);
            }
        } else {
            static_assert((std::is_integral_v<X> && !std::is_same_v<X, bool>) || is_newtype<X>,
                          "quern: an index is an integer scalar: write cast<uint>(e) for a traced value, an integer for "
                          "a host value");
            if constexpr (is_newtype<X>) *this = index(static_cast<std::underlying_type_t<X>>(x), l);
            else if constexpr (!std::is_integral_v<X>) return;
            else if constexpr (std::is_signed_v<X>) {
                if (x < 0) value = record_unrepresentable(type_of<uint>, static_cast<long long>(x));
                else value = unsigned_constant(static_cast<std::uint64_t>(x));
            } else value = unsigned_constant(static_cast<std::uint64_t>(x));
        }
    }

private:
    static node unsigned_constant(std::uint64_t i) {
        if (i <= 0xffff'ffffu) return scalar_constant<uint>(i);
        return record_constant(type_of<std::uint64_t>, &i);
    }
};

/// A traced bool with the user's line: the conditions of if_, elif_ and while_.
struct condition {
    node value;
    location where;

    template <class X>
        requires(!std::is_same_v<std::remove_cvref_t<X>, condition>)
    condition(X&& x, location l = location::current()) : where(l) {  // NOLINT: converts on purpose
        check_operand<X>();
        if constexpr (is_traced<X>) {
            static_assert(std::is_same_v<value_t<X>, bool>,
                          "quern: a condition is a traced bool: write a comparison such as x != 0");
            value = x.traced_node();
        } else {
            static_assert(always_false<X>,
                          "quern: this condition is a host value, known while tracing: write a plain C++ if, while or "
                          "for");
        }
    }
};

}  // namespace quern_detail

/// Any object that stands for a traced value: val, var, a place or an expression.
template <class X>
concept traced = quern_detail::is_traced<X>;
template <class X>
concept traced_arithmetic = quern_detail::is_traced<X> && quern_detail::is_arithmetic<quern_detail::value_t<X>>;
template <class X>
concept traced_integral = quern_detail::is_traced<X> && quern_detail::is_integral<quern_detail::value_t<X>>;
template <class X>
concept traced_floating = quern_detail::is_traced<X> && quern_detail::is_floating<quern_detail::value_t<X>>;
template <class X>
concept traced_boolean = quern_detail::is_traced<X> && quern_detail::is_boolean<quern_detail::value_t<X>>;

/// The element type of a traced object: float for val<float> and for x[i] + 1.f.
template <traced X>
using value_type_of = quern_detail::value_t<X>;

}  // namespace quern
