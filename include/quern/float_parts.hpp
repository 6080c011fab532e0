// Exponents, fractions and classes of traced floats: the names of <cmath> that take a number apart. Exact for every
// value; what C returns through a pointer is returned beside the result: `auto [fraction, exponent] = frexp(x);`.
#pragma once

#include <quern/math.hpp>

#include <cstdint>
#include <limits>

namespace quern {

namespace quern_detail {

template <class T>
struct float_layout {
    static_assert(is_floating<T>, "quern: this function needs a floating argument: write cast<float>(e)");
    using component = component_t<T>;
    using bits_component = std::conditional_t<sizeof(component) == 8, std::int64_t,
                           std::conditional_t<sizeof(component) == 4, std::int32_t, std::int16_t>>;
    static constexpr int digits = std::numeric_limits<component>::digits;
    static constexpr int fraction_bits = digits - 1;
    static constexpr int bias = std::numeric_limits<component>::max_exponent - 1;
    static constexpr int all_ones = 2 * bias + 1;
    static constexpr auto exponent_mask = static_cast<bits_component>(static_cast<std::uint64_t>(all_ones) << fraction_bits);
    static constexpr double least_normal = static_cast<double>(std::numeric_limits<component>::min());
    static constexpr double scale = static_cast<double>(std::uint64_t{1} << fraction_bits);
};

/// A number taken apart: bits with a normal exponent field, and the exponent e of 2^e <= |x| < 2^(e+1). Of 0, infinities
/// and NaN, which are not `ordinary`, the parts mean nothing.
template <class T>
struct float_pieces {
    using layout = float_layout<T>;
    using bits_type = like_t<T, typename layout::bits_component>;

    val<T> number;
    val<like_t<T, bool>> is_small = abs(number) < layout::least_normal;
    val<bits_type> bits = bit_cast<bits_type>(select(is_small, number * layout::scale, number));
    val<like_t<T, int>> exponent = (cast<int>(bits >> layout::fraction_bits) & layout::all_ones) - layout::bias -
                                   select(is_small, layout::fraction_bits, 0);
    val<like_t<T, bool>> ordinary = (number != 0) & (abs(number) < __builtin_huge_val());

    /// The number's sign and fraction with this exponent, -bias < e <= bias.
    template <class E>
    auto with_exponent(const E& e) const {
        const auto field = cast<typename layout::bits_component>(e + layout::bias) << layout::fraction_bits;
        return bit_cast<T>((bits & static_cast<typename layout::bits_component>(~layout::exponent_mask)) | field);
    }
};

template <class X>
auto take_apart(const X& x) {
    using T = value_t<X>;
    return float_pieces<T>{.number = once<T>(x)};
}

template <class T>
struct frexp_result {
    val<T> fraction;
    val<like_t<T, int>> exponent;
};
template <class T>
struct modf_result {
    val<T> fraction;
    val<T> whole;
};

}  // namespace quern_detail

/// x * 2^n rounded once; n is an int, or one a component.
template <traced X, class N>
auto ldexp(const X& x, const N& n) {
    using namespace quern_detail;
    using T = value_t<X>;
    using layout = float_layout<T>;
    using component = typename layout::component;
    constexpr int far = 4 * (layout::bias + layout::digits);  // further is 0 or infinity, whatever x is
    const auto p = take_apart(x);
    const val<like_t<T, int>> wanted = p.exponent + min(max(once<like_t<T, int>>(n), -far), far);
    // Down to the least normal exponent by exchanging the exponent, the rest by one multiplication, which rounds.
    constexpr int least = 1 - layout::bias;
    const auto rest = max(min(wanted - least, 0), -layout::digits - 1);
    const auto power = bit_cast<T>(cast<typename layout::bits_component>(rest + layout::bias) << layout::fraction_bits);
    const auto scaled = p.with_exponent(min(max(wanted, least), layout::bias)) * power;
    const auto infinite = copysign(val<T>(std::numeric_limits<component>::infinity()), p.number);
    return select(p.ordinary, select(wanted > layout::bias, infinite, scaled), p.number);
}
/// ldexp under its other name.
template <traced X, class N>
auto scalbn(const X& x, const N& n) {
    return ldexp(x, n);
}
/// The same for a 64-bit n.
template <traced X, class N>
auto scalbln(const X& x, const N& n) {
    using Wide = quern_detail::like_t<quern_detail::value_t<X>, std::int64_t>;
    return ldexp(x, cast<int>(min(max(quern_detail::once<Wide>(n), -65536), 65536)));
}

/// e of 2^e <= |x| < 2^(e+1); of 0 and NaN the smallest int, of infinities the largest.
template <traced X>
auto ilogb(const X& x) {
    const auto p = quern_detail::take_apart(x);
    const auto special = select(abs(p.number) == __builtin_huge_val(), std::numeric_limits<int>::max(), std::numeric_limits<int>::min());
    return select(p.ordinary, p.exponent, special);
}
/// The same as a floating number; of 0 -infinity, of infinities infinity, of NaN NaN.
template <traced X>
auto logb(const X& x) {
    using T = quern_detail::value_t<X>;
    const auto p = quern_detail::take_apart(x);
    const auto special = select(p.number == 0, -val<T>(std::numeric_limits<quern_detail::component_t<T>>::infinity()), abs(p.number));
    return select(p.ordinary, cast<quern_detail::component_t<T>>(p.exponent), special);
}
/// x = fraction * 2^exponent with 0.5 <= |fraction| < 1; 0, infinities and NaN are their own fraction, with exponent 0.
template <traced X>
auto frexp(const X& x) {
    using T = quern_detail::value_t<X>;
    const auto p = quern_detail::take_apart(x);
    const auto fraction = p.with_exponent(quern_detail::once<quern_detail::like_t<T, int>>(-1));
    return quern_detail::frexp_result<T>{select(p.ordinary, fraction, p.number), select(p.ordinary, p.exponent + 1, 0)};
}
/// x = fraction + whole, both with x's sign.
template <traced X>
auto modf(const X& x) {
    using T = quern_detail::value_t<X>;
    const auto v = quern_detail::once<T>(x);
    const val<T> whole = trunc(v);
    return quern_detail::modf_result<T>{copysign(select(abs(v) == __builtin_huge_val(), 0, v - whole), v), whole};
}

/// Nearest integer, halves away from 0; saturates, NaN gives 0.
template <traced X>
auto llround(const X& x) {
    return cast<std::int64_t>(round(x));
}
template <traced X>
auto lround(const X& x) {
    return llround(x);
}
/// Nearest integer, halves to even; saturates, NaN gives 0.
template <traced X>
auto llrint(const X& x) {
    return cast<std::int64_t>(rint(x));
}
template <traced X>
auto lrint(const X& x) {
    return llrint(x);
}

/// The next value of x's type after x towards `to`, which may be of a wider floating type.
template <traced X, class Y>
auto nexttoward(const X& x, const Y& to) {
    using namespace quern_detail;
    using T = value_t<X>;
    using C = component_t<T>;
    const auto v = once<T>(x);
    const auto up = nextafter(v, std::numeric_limits<C>::infinity()), down = nextafter(v, -std::numeric_limits<C>::infinity());
    if constexpr (is_traced_as<Y, T>()) return nextafter(v, to);
    else if constexpr (is_traced<Y>) {
        using Wide = component_t<value_t<Y>>;
        static_assert(is_floating<Wide> && sizeof(Wide) > sizeof(C), "quern: nexttoward goes towards a number of the same or "
                                                                     "of a wider floating type");
        const auto wide = cast<Wide>(v);
        const auto goal = once<value_t<Y>>(to);
        return select(wide == goal, cast<C>(goal), select(wide < goal, up, select(wide > goal, down, cast<C>(wide + goal))));
    } else {
        // a goal between two numbers of the type: x is on one side of it
        const C near = static_cast<C>(to);
        if (static_cast<double>(near) == static_cast<double>(to) || to != to) return val<T>(nextafter(v, near));
        if (static_cast<double>(near) > static_cast<double>(to)) return val<T>(select(v >= near, down, up));
        return val<T>(select(v <= near, up, down));
    }
}

/// a where t is 0, b where t is 1, monotonic between and beyond: std::lerp.
template <class A, class B, class T>
    requires(quern_detail::is_traced<A> || quern_detail::is_traced<B> || quern_detail::is_traced<T>)
auto lerp(const A& first, const B& last, const T& at) {
    using V = quern_detail::common_of_three_t<A, B, T>;
    static_assert(quern_detail::is_floating<V>, "quern: lerp needs floating arguments: write cast<float>(e)");
    const auto a = quern_detail::once<V>(first), b = quern_detail::once<V>(last), t = quern_detail::once<V>(at);
    const val<V> x = a + t * (b - a);
    const auto beyond = (t > 1) == (b > a);
    const auto clamped = select(beyond, select(b < x, x, b), select(b > x, x, b));
    const auto opposed = ((a <= 0) & (b >= 0)) | ((a >= 0) & (b <= 0));
    return select(opposed, t * b + (1 - t) * a, select(t == 1, b, clamped));
}
/// sqrt(x*x + y*y + z*z) without overflow.
template <class X, class Y, class Z>
    requires(quern_detail::is_traced<X> || quern_detail::is_traced<Y> || quern_detail::is_traced<Z>)
auto hypot(const X& x, const Y& y, const Z& z) {
    using V = quern_detail::common_of_three_t<X, Y, Z>;
    return hypot(hypot(quern_detail::once<V>(x), quern_detail::once<V>(y)), quern_detail::once<V>(z));
}

/// True for a number that is neither 0, subnormal, infinite nor NaN.
template <traced X>
auto isnormal(const X& x) {
    using layout = quern_detail::float_layout<quern_detail::value_t<X>>;
    const val<quern_detail::value_t<X>> magnitude = abs(x);
    return (magnitude >= layout::least_normal) & (magnitude < __builtin_huge_val());
}
/// True where one of both is NaN.
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto isunordered(const L& l, const R& r) {
    using T = quern_detail::common_t<L, R>;
    return isnan(quern_detail::once<T>(l)) | isnan(quern_detail::once<T>(r));
}
// comparisons under C's names; false where one of both is NaN
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto isgreater(const L& l, const R& r) {
    return quern_detail::comparison<quern_detail::op::gt, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto isgreaterequal(const L& l, const R& r) {
    return quern_detail::comparison<quern_detail::op::ge, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto isless(const L& l, const R& r) {
    return quern_detail::comparison<quern_detail::op::lt, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto islessequal(const L& l, const R& r) {
    return quern_detail::comparison<quern_detail::op::le, quern_detail::operand_class::ordered>(l, r);
}
template <class L, class R>
    requires quern_detail::any_traced<L, R>
auto islessgreater(const L& l, const R& r) {
    using T = quern_detail::common_t<L, R>;
    const auto a = quern_detail::once<T>(l), b = quern_detail::once<T>(r);
    return (a < b) | (a > b);
}

}  // namespace quern
