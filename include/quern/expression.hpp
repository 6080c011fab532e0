// Expressions: what operators return. An expression holds the operation in its type and its operands as handles that
// were captured when the operator was applied; it is recorded when a statement uses it, and leaves nothing otherwise.
#pragma once

#include <quern/detail/swizzles.hpp>
#include <quern/detail/traced.hpp>

namespace quern {

namespace quern_detail {

template <op Op, class T, int Count>
class expression;

/// Components of pure vectors: v.x(), v[i], v.xyz() as expressions. Nothing for scalars.
template <class Derived, class T>
struct vector_value {};

template <class Derived, class T>
    requires is_vec<T>
struct vector_value<Derived, T> : swizzles<Derived, width<T>> {
    using component_type = component_t<T>;

    auto x() const { return extracted(0); }
    auto y() const { return extracted(1); }
    auto z() const requires(width<T> > 2) { return extracted(2); }
    auto w() const requires(width<T> > 3) { return extracted(3); }
    /// Component i; traced indices are allowed, out of range is undefined.
    auto operator[](index i) const {
        const node operands[] = {self().traced_node(), i.value};
        return expression<op::extract_dynamic, component_type, 2>(operands);
    }

    template <int Count, std::uint64_t Pattern>
    auto swizzled() const {
        const node operands[] = {self().traced_node()};
        return expression<op::swizzle, vec<component_type, Count>, 1>(operands, Pattern);
    }

private:
    const Derived& self() const { return static_cast<const Derived&>(*this); }
    auto extracted(std::uint64_t i) const {
        const node operands[] = {self().traced_node()};
        return expression<op::extract, component_type, 1>(operands, i);
    }
};

/// An unevaluated pure operation of type T over Count captured operands.
template <op Op, class T, int Count>
class expression : public traced_object, public vector_value<expression<Op, T, Count>, T> {
public:
    using value_type = T;

    explicit expression(const node (&operands)[Count], std::uint64_t immediate = 0) : immediate_(immediate) {
        for (int i = 0; i < Count; ++i) operands_[i] = operands[i];
    }

    node traced_node() const {
        return record_operation(Op, type_of<T>, operands_, static_cast<std::size_t>(Count), immediate_);
    }

private:
    node operands_[Count];
    std::uint64_t immediate_;
};

template <op Op, class T, class X>
auto unary(const X& x) {
    const node operands[] = {capture<T>(x)};
    return expression<Op, T, 1>(operands);
}

template <op Op, class Result, class T, class L, class R>
auto binary(const L& l, const R& r) {
    const node operands[] = {capture<T>(l), capture<T>(r)};
    return expression<Op, Result, 2>(operands);
}

template <class L, class R>
inline constexpr bool any_traced = is_traced<L> || is_traced<R>;

enum class operand_class : std::uint8_t { arithmetic, bits, integral, comparable, ordered };

/// What an operator asks of the type in which its operands meet, with advice.
template <operand_class Class, class T>
consteval void check_type() {
    static_assert(is_scalar_or_vec<T>, "quern: a struct or an array has no operators: write them for its members or "
                                       "elements");
    if constexpr (!is_scalar_or_vec<T>) return;
    else if constexpr (Class == operand_class::arithmetic) {
        static_assert(!is_enumeration<component_t<T>>, "quern: an enum has no arithmetic: write cast<uint>(e)");
        static_assert(!is_boolean<T>, "quern: bool has no arithmetic: write select(b, 1, 0), or & | ^ for logic");
    } else if constexpr (Class == operand_class::bits) {
        static_assert(!is_floating<T>, "quern: bit operations need integers or bools: write bit_cast<uint>(e)");
        static_assert(!is_enumeration<component_t<T>>, "quern: an enum has no bit operations: write cast<uint>(e)");
    } else if constexpr (Class == operand_class::integral) {
        static_assert(!is_floating<T>, "quern: this operator needs integers: write fmod(a, b) for a floating remainder, "
                                       "or cast<int>(e)");
        static_assert(is_floating<T> || is_integral<T>, "quern: this operator needs integers: write cast<uint>(e)");
    } else if constexpr (Class == operand_class::ordered) {
        static_assert(!is_boolean<T>, "quern: bools have no order: write a == b, or select(b, 1, 0)");
        static_assert(!is_enumeration<component_t<T>> || is_newtype<component_t<T>>,
                      "quern: an enum has no order: write cast<uint>(e)");
    }
}

template <op Op, operand_class Class, class L, class R>
auto arithmetic(const L& l, const R& r) {
    using T = common_t<L, R>;
    check_type<Class, T>();
    return binary<Op, T, T>(l, r);
}

template <op Op, operand_class Class, class L, class R>
auto comparison(const L& l, const R& r) {
    using T = common_t<L, R>;
    check_type<Class, T>();
    return binary<Op, like_t<T, bool>, T>(l, r);
}

template <class L, class R>
consteval void check_operands() {
    check_operand<L>();
    check_operand<R>();
}

}  // namespace quern_detail

// Operators on traced values. Vectors work component by component, a scalar operand is repeated; a host operand takes
// the traced operand's type. Comparisons of vectors give bool vectors.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator+(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::add, quern_detail::operand_class::arithmetic>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator-(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::sub, quern_detail::operand_class::arithmetic>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator*(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::mul, quern_detail::operand_class::arithmetic>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator/(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::div, quern_detail::operand_class::arithmetic>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator%(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::rem, quern_detail::operand_class::integral>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator&(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::bit_and, quern_detail::operand_class::bits>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator|(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::bit_or, quern_detail::operand_class::bits>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator^(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::bit_xor, quern_detail::operand_class::bits>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator<<(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::shl, quern_detail::operand_class::integral>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator>>(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::arithmetic<quern_detail::op::shr, quern_detail::operand_class::integral>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator==(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::comparison<quern_detail::op::eq, quern_detail::operand_class::comparable>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator!=(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::comparison<quern_detail::op::ne, quern_detail::operand_class::comparable>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator<(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::comparison<quern_detail::op::lt, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator<=(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::comparison<quern_detail::op::le, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator>(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::comparison<quern_detail::op::gt, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto operator>=(L&& l, R&& r) {
    quern_detail::check_operands<L, R>();
    return quern_detail::comparison<quern_detail::op::ge, quern_detail::operand_class::ordered>(l, r);
}

template <traced X>
auto operator-(X&& x) {
    quern_detail::check_operand<X>();
    quern_detail::check_type<quern_detail::operand_class::arithmetic, quern_detail::value_t<X>>();
    return quern_detail::unary<quern_detail::op::neg, quern_detail::value_t<X>>(x);
}
template <traced X>
auto operator~(X&& x) {
    quern_detail::check_operand<X>();
    static_assert(quern_detail::is_integral<quern_detail::value_t<X>>, "quern: ~ needs integers: write !b for a bool");
    return quern_detail::unary<quern_detail::op::bit_not, quern_detail::value_t<X>>(x);
}
template <traced X>
auto operator!(X&& x) {
    quern_detail::check_operand<X>();
    static_assert(quern_detail::is_boolean<quern_detail::value_t<X>>, "quern: ! needs a traced bool: write x == 0");
    return quern_detail::unary<quern_detail::op::bit_not, quern_detail::value_t<X>>(x);
}

template <class L, class R>
    requires quern_detail::any_traced<L, R>
bool operator&&(L&&, R&&) {
    static_assert(quern_detail::always_false<L>, "quern: && cannot short-circuit traced values: write a & b, or "
                                           "and_then(a, [&] { return b; }) where b must not run");
    return false;
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
bool operator||(L&&, R&&) {
    static_assert(quern_detail::always_false<L>, "quern: || cannot short-circuit traced values: write a | b, or "
                                           "or_else(a, [&] { return b; }) where b must not run");
    return false;
}

}  // namespace quern
