// Conversions, construction and selection: cast, bit_cast, make_vec, select. Nothing converts by itself.
#pragma once

#include <quern/value.hpp>

namespace quern {

/// Converts to T: narrowing integers wrap, floating to integer saturates with NaN to 0, integer to floating rounds to
/// nearest even. A vector converts component by component: cast<int>(v) and cast<int3>(v) are the same.
template <class T, traced X>
auto cast(const X& x) {
    using V = quern_detail::value_t<X>;
    using Result = std::conditional_t<quern_detail::is_vec<T>, T, quern_detail::like_t<V, T>>;
    static_assert(quern_detail::is_scalar_or_vec<V> && quern_detail::is_scalar_or_vec<Result>,
                  "quern: cast converts scalars and vectors: write cast<T> with bool, an integer, a floating type, an "
                  "enum or a vec");
    static_assert(quern_detail::width<Result> == quern_detail::width<V>, "quern: cast keeps the number of components: write v.xy()");
    const quern_detail::node operands[] = {x.traced_node()};
    return quern_detail::expression<quern_detail::op::cast, Result, 1>(operands);
}

/// The same bits as a T of the same size.
template <class T, traced X>
auto bit_cast(const X& x) {
    using V = quern_detail::value_t<X>;
    static_assert(quern_detail::is_scalar_or_vec<T> && quern_detail::is_scalar_or_vec<V>,
                  "quern: bit_cast takes scalars and vectors: write it for the members of a struct");
    static_assert(sizeof(T) == sizeof(V), "quern: bit_cast needs types of the same size: write cast<T>(e) to convert "
                                            "the value");
    static_assert(!quern_detail::is_boolean<T> && !quern_detail::is_boolean<V>, "quern: a bool has no bits: write select(b, 1u, 0u)");
    const quern_detail::node operands[] = {x.traced_node()};
    return quern_detail::expression<quern_detail::op::bit_cast, T, 1>(operands);
}

namespace quern_detail {

template <class... X>
struct first_traced;
template <class X, class... Rest>
struct first_traced<X, Rest...> {
    using type = typename std::conditional_t<is_traced<X>, operand_type<X>, first_traced<Rest...>>::type;
};
template <>
struct first_traced<> {
    using type = void;
};

}  // namespace quern_detail

/// A vector of 2 to 4 components: of host values a host vec, otherwise an expression of the traced components' type.
template <class... X>
    requires(sizeof...(X) >= 2 && sizeof...(X) <= 4)
auto make_vec(const X&... x) {
    constexpr int n = sizeof...(X);
    if constexpr ((quern_detail::is_traced<X> || ...)) {
        using T = typename quern_detail::first_traced<X...>::type;
        static_assert(!quern_detail::is_vec<T>, "quern: make_vec takes scalars: write make_vec(v.x(), v.y(), z)");
        const quern_detail::node operands[] = {quern_detail::capture<T>(x)...};
        return quern_detail::expression<quern_detail::op::construct, vec<T, n>, n>(operands);
    } else {
        using T = std::common_type_t<X...>;
        return vec<T, n>{{static_cast<T>(x)...}};
    }
}

/// a where the condition holds, else b; both are evaluated. A bool vector selects component by component.
template <class C, class A, class B>
    requires(quern_detail::is_traced<C> || quern_detail::is_traced<A> || quern_detail::is_traced<B>)
auto select(const C& condition, const A& a, const B& b) {
    using Mask = quern_detail::operand_t<C>;
    static_assert(quern_detail::is_traced<C>, "quern: this condition is a host value, known while tracing: write a plain C++ "
                                        "if");
    static_assert(quern_detail::is_boolean<Mask>, "quern: select needs a traced bool: write select(x > 0.f, a, b)");
    using Meeting = quern_detail::common_t<A, B>;
    using T =
        std::conditional_t<quern_detail::is_vec<Mask> && !quern_detail::is_vec<Meeting>, quern_detail::like_t<Mask, Meeting>, Meeting>;
    static_assert(quern_detail::is_scalar_or_vec<T>, "quern: select chooses scalars and vectors: write if_ and assign to a var "
                                                     "for a struct or an array");
    if constexpr (!quern_detail::is_traced<A> && !quern_detail::is_traced<B>)
        static_assert(std::is_same_v<A, B>, "quern: both sides of select need one type: write select(c, 1.f, 0.f)");
    static_assert(!quern_detail::is_vec<Mask> || quern_detail::width<Mask> == quern_detail::width<T>,
                  "quern: the condition of select has another number of components than its sides: compare vectors of "
                  "their width");
    const quern_detail::node operands[] = {quern_detail::capture_any(condition), quern_detail::capture<T>(a), quern_detail::capture<T>(b)};
    return quern_detail::expression<quern_detail::op::select, T, 3>(operands);
}

}  // namespace quern
