// Maths on traced values: the names of <cmath> and what shaders add to them. Vectors work component by component.
// Error bounds are in docs/accuracy.md; special values follow C's Annex F outside math::fast.
#pragma once

#include <quern/convert.hpp>

namespace quern {

namespace quern_detail {

template <op Op, class X>
auto floating_unary(const X& x) {
    using T = value_t<X>;
    static_assert(is_floating<T>, "quern: this function needs a floating argument: write cast<float>(e)");
    return unary<Op, T>(x);
}
template <op Op, class L, class R>
auto floating_binary(const L& l, const R& r) {
    using T = common_t<L, R>;
    static_assert(is_floating<T>, "quern: this function needs floating arguments: write cast<float>(e)");
    return binary<Op, T, T>(l, r);
}
template <op Op, class X>
auto integral_unary(const X& x) {
    using T = value_t<X>;
    static_assert(is_integral<T>, "quern: this function needs an integer argument: write bit_cast<uint>(e)");
    return unary<Op, T>(x);
}

/// The type in which three operands meet.
template <class A, class B, class C>
using common_of_three_t = std::conditional_t<any_traced<A, B>, common_t<val<common_t<A, B>>, C>, common_t<A, C>>;

/// An operand that is captured once and used several times.
template <class T, class X>
val<T> once(const X& x) {
    return val<T>::from_node(capture<T>(x));
}

}  // namespace quern_detail

/// Rounds towards -infinity.
template <traced X>
auto floor(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::floor>(x);
}
/// Rounds towards +infinity.
template <traced X>
auto ceil(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::ceil>(x);
}
/// Rounds towards 0.
template <traced X>
auto trunc(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::trunc>(x);
}
/// Rounds to nearest, halves away from 0.
template <traced X>
auto round(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::round>(x);
}
/// Rounds to nearest, halves to even.
template <traced X>
auto rint(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::rint>(x);
}
/// Square root; correctly rounded in precise mode.
template <traced X>
auto sqrt(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::sqrt>(x);
}
/// 1 / sqrt(x).
template <traced X>
auto rsqrt(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::rsqrt>(x);
}
/// Cube root.
template <traced X>
auto cbrt(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::cbrt>(x);
}
/// e to the x.
template <traced X>
auto exp(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::exp>(x);
}
/// 2 to the x.
template <traced X>
auto exp2(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::exp2>(x);
}
/// exp(x) - 1 without cancellation.
template <traced X>
auto expm1(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::expm1>(x);
}
/// Natural logarithm.
template <traced X>
auto log(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::log>(x);
}
/// Logarithm to base 2.
template <traced X>
auto log2(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::log2>(x);
}
/// Logarithm to base 10.
template <traced X>
auto log10(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::log10>(x);
}
/// log(1 + x) without cancellation.
template <traced X>
auto log1p(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::log1p>(x);
}
/// Sine of radians.
template <traced X>
auto sin(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::sin>(x);
}
/// Cosine of radians.
template <traced X>
auto cos(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::cos>(x);
}
/// Tangent of radians.
template <traced X>
auto tan(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::tan>(x);
}
/// Arc sine in radians.
template <traced X>
auto asin(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::asin>(x);
}
/// Arc cosine in radians.
template <traced X>
auto acos(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::acos>(x);
}
/// Arc tangent in radians.
template <traced X>
auto atan(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::atan>(x);
}
/// Hyperbolic sine.
template <traced X>
auto sinh(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::sinh>(x);
}
/// Hyperbolic cosine.
template <traced X>
auto cosh(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::cosh>(x);
}
/// Hyperbolic tangent.
template <traced X>
auto tanh(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::tanh>(x);
}
/// Inverse hyperbolic sine.
template <traced X>
auto asinh(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::asinh>(x);
}
/// Inverse hyperbolic cosine.
template <traced X>
auto acosh(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::acosh>(x);
}
/// Inverse hyperbolic tangent.
template <traced X>
auto atanh(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::atanh>(x);
}
/// Error function.
template <traced X>
auto erf(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::erf>(x);
}
/// 1 - erf(x) without cancellation.
template <traced X>
auto erfc(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::erfc>(x);
}
/// Gamma function.
template <traced X>
auto tgamma(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::tgamma>(x);
}
/// Logarithm of the absolute value of the gamma function.
template <traced X>
auto lgamma(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::lgamma>(x);
}
/// rint under its other name.
template <traced X>
auto nearbyint(const X& x) {
    return rint(x);
}

/// x to the y.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto pow(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::pow>(l, r);
}
/// Angle of the point (r, l) in radians: atan2(y, x).
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto atan2(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::atan2>(l, r);
}
/// sqrt(x*x + y*y) without overflow.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto hypot(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::hypot>(l, r);
}
/// Remainder of the quotient rounded towards 0; exact.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto fmod(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::fmod>(l, r);
}
/// IEEE remainder of the quotient rounded to nearest; exact.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto remainder(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::remainder>(l, r);
}
/// The next value after l towards r.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto nextafter(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::nextafter>(l, r);
}
/// l with r's sign.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto copysign(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::copysign>(l, r);
}
/// a * b + c rounded once.
template <class A, class B, class C>
    requires(quern_detail::is_traced<A> || quern_detail::is_traced<B> || quern_detail::is_traced<C>)
auto fma(const A& a, const B& b, const C& c) {
    using T = quern_detail::common_of_three_t<A, B, C>;
    static_assert(quern_detail::is_floating<T>, "quern: fma needs floating arguments: write a * b + c for integers");
    const quern_detail::node operands[] = {quern_detail::capture<T>(a), quern_detail::capture<T>(b), quern_detail::capture<T>(c)};
    return quern_detail::expression<quern_detail::op::fma, T, 3>(operands);
}

/// Absolute value; of the smallest signed integer it is that integer.
template <traced X>
auto abs(const X& x) {
    quern_detail::check_type<quern_detail::operand_class::arithmetic, quern_detail::value_t<X>>();
    return quern_detail::unary<quern_detail::op::abs, quern_detail::value_t<X>>(x);
}
template <traced X>
auto fabs(const X& x) {
    return quern_detail::floating_unary<quern_detail::op::abs>(x);
}

/// The smaller of both; a NaN loses, -0 is below +0. Two overloads, so that it is chosen over std::min under both
/// using-directives.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto min(const L& l, const R& r) {
    return quern_detail::arithmetic<quern_detail::op::min, quern_detail::operand_class::ordered>(l, r);
}
template <traced X>
auto min(const X& l, const X& r) {
    return quern_detail::arithmetic<quern_detail::op::min, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto fmin(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::min>(l, r);
}

/// The larger of both; a NaN loses, -0 is below +0. Two overloads, so that it is chosen over std::max under both
/// using-directives.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto max(const L& l, const R& r) {
    return quern_detail::arithmetic<quern_detail::op::max, quern_detail::operand_class::ordered>(l, r);
}
template <traced X>
auto max(const X& l, const X& r) {
    return quern_detail::arithmetic<quern_detail::op::max, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto fmax(const L& l, const R& r) {
    return quern_detail::floating_binary<quern_detail::op::max>(l, r);
}

/// min(max(x, low), high); a NaN gives low.
template <class X, class Low, class High>
    requires(quern_detail::is_traced<X> || quern_detail::is_traced<Low> || quern_detail::is_traced<High>)
auto clamp(const X& x, const Low& low, const High& high) {
    if constexpr (quern_detail::any_traced<X, Low>) return min(max(x, low), high);
    else return min(max(quern_detail::once<quern_detail::value_t<High>>(x), low), high);
}
template <traced X>
auto clamp(const X& x, const X& low, const X& high) {
    return min(max(x, low), high);
}
/// clamp(x, 0, 1).
template <traced X>
auto saturate(const X& x) {
    static_assert(quern_detail::is_floating<quern_detail::value_t<X>>, "quern: saturate needs a floating argument: write "
                                                           "clamp(x, low, high) for integers");
    return min(max(x, 0), 1);
}
/// x - floor(x).
template <traced X>
auto fract(const X& x) {
    const auto v = quern_detail::once<quern_detail::value_t<X>>(x);
    return v - floor(v);
}
/// a where t is 0, b where t is 1: a * (1 - t) + b * t.
template <class A, class B, class T>
    requires(quern_detail::is_traced<A> || quern_detail::is_traced<B> || quern_detail::is_traced<T>)
auto mix(const A& a, const B& b, const T& t) {
    using V = quern_detail::common_of_three_t<A, B, T>;
    static_assert(quern_detail::is_floating<V>, "quern: mix needs floating arguments: write cast<float>(e)");
    const auto s = quern_detail::once<V>(t);
    return quern_detail::once<V>(a) * (1 - s) + quern_detail::once<V>(b) * s;
}
/// l - r where l > r, else +0; NaN where one is NaN.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto fdim(const L& l, const R& r) {
    using T = quern_detail::common_t<L, R>;
    static_assert(quern_detail::is_floating<T>, "quern: fdim needs floating arguments: write cast<float>(e)");
    const auto a = quern_detail::once<T>(l);
    const auto b = quern_detail::once<T>(r);
    return select(a <= b, 0, a - b);
}

/// True for a NaN.
template <traced X>
auto isnan(const X& x) {
    const auto v = quern_detail::once<quern_detail::value_t<X>>(x);
    static_assert(quern_detail::is_floating<quern_detail::value_t<X>>, "quern: isnan needs a floating argument: an integer is "
                                                           "never NaN");
    return v != v;
}
/// True for +infinity and -infinity.
template <traced X>
auto isinf(const X& x) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_floating<T>, "quern: isinf needs a floating argument: an integer is never infinite");
    return abs(x) == __builtin_huge_val();
}
/// True for everything but infinities and NaN.
template <traced X>
auto isfinite(const X& x) {
    static_assert(quern_detail::is_floating<quern_detail::value_t<X>>, "quern: isfinite needs a floating argument: an integer is "
                                                           "always finite");
    return abs(x) < __builtin_huge_val();
}
/// True where the sign bit is set, of -0 and NaN too.
template <traced X>
auto signbit(const X& x) {
    using T = quern_detail::value_t<X>;
    static_assert(quern_detail::is_floating<T>, "quern: signbit needs a floating argument: write x < 0 for integers");
    using Bits = std::conditional_t<sizeof(quern_detail::component_t<T>) == 8, std::int64_t,
                 std::conditional_t<sizeof(quern_detail::component_t<T>) == 4, std::int32_t, std::int16_t>>;
    return bit_cast<quern_detail::like_t<T, Bits>>(x) < 0;
}

/// Number of bits that are 1.
template <traced X>
auto popcount(const X& x) {
    return quern_detail::integral_unary<quern_detail::op::popcount>(x);
}
/// Number of 0 bits above the highest 1; the width for 0.
template <traced X>
auto clz(const X& x) {
    return quern_detail::integral_unary<quern_detail::op::clz>(x);
}
/// Number of 0 bits below the lowest 1; the width for 0.
template <traced X>
auto ctz(const X& x) {
    return quern_detail::integral_unary<quern_detail::op::ctz>(x);
}
/// The bits in opposite order.
template <traced X>
auto reverse_bits(const X& x) {
    return quern_detail::integral_unary<quern_detail::op::reverse_bits>(x);
}

/// Sum of the products of the components.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto dot(const L& l, const R& r) {
    using T = quern_detail::common_t<L, R>;
    static_assert(quern_detail::is_vec<T> && quern_detail::is_arithmetic<T>, "quern: dot needs vectors of numbers: write a * b for "
                                                                 "scalars");
    const auto a = quern_detail::once<T>(l);
    const auto b = quern_detail::once<T>(r);
    if constexpr (quern_detail::is_vec<T>) {
        const auto xy = a.x() * b.x() + a.y() * b.y();
        if constexpr (quern_detail::width<T> == 2) return xy;
        else if constexpr (quern_detail::width<T> == 3) return xy + a.z() * b.z();
        else return (xy + a.z() * b.z()) + a.w() * b.w();
    } else return a * b;
}
/// Cross product of two vectors of 3 components.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto cross(const L& l, const R& r) {
    using T = quern_detail::common_t<L, R>;
    static_assert(quern_detail::is_vec<T> && quern_detail::width<T> == 3 && quern_detail::is_arithmetic<T>,
                  "quern: cross needs vectors of 3 numbers: write make_vec(x, y, z)");
    const auto a = quern_detail::once<T>(l);
    const auto b = quern_detail::once<T>(r);
    return a.yzx() * b.zxy() - a.zxy() * b.yzx();
}
/// sqrt(dot(v, v)).
template <traced X>
auto length(const X& x) {
    static_assert(quern_detail::is_vec<quern_detail::value_t<X>> && quern_detail::is_floating<quern_detail::value_t<X>>,
                  "quern: length needs a floating vector: write abs(x) for a scalar, cast<float>(v) for integers");
    const auto v = quern_detail::once<quern_detail::value_t<X>>(x);
    return sqrt(dot(v, v));
}
/// v / length(v).
template <traced X>
auto normalize(const X& x) {
    const auto v = quern_detail::once<quern_detail::value_t<X>>(x);
    return v / length(v);
}

}  // namespace quern
