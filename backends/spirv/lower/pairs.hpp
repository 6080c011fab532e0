// Unevaluated sums of two floats: twice the precision out of exact sums and products (Dekker 1971, Knuth TAOCP 4.2.2).
#pragma once

#include "backends/spirv/lower/terms.hpp"

namespace quern::spirv::lower {

struct pair {
    term hi, lo;
};

/// A constant known to 106 bits; narrow kinds take as many of them.
pair pair_constant(const term& like, double hi, double lo);

/// a + b exactly; `fast` where |a| >= |b|.
inline pair fast_sum(term a, term b) {
    const term s = a + b;
    return {s, b - (s - a)};
}
inline pair sum(term a, term b) {
    const term s = a + b, bb = s - a;
    return {s, (a - (s - bb)) + (b - bb)};
}
/// a * b exactly, but for what falls below the smallest number.
pair product(term a, term b);

inline pair operator+(pair a, pair b) {
    const pair s = sum(a.hi, b.hi);
    return fast_sum(s.hi, s.lo + (a.lo + b.lo));
}
inline pair operator+(pair a, term b) {
    const pair s = sum(a.hi, b);
    return fast_sum(s.hi, s.lo + a.lo);
}
inline pair operator-(pair a) { return {-a.hi, -a.lo}; }
inline pair operator-(pair a, pair b) { return a + -b; }
inline pair operator*(pair a, pair b) {
    const pair p = product(a.hi, b.hi);
    return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
inline pair operator*(pair a, term b) {
    const pair p = product(a.hi, b);
    return fast_sum(p.hi, p.lo + a.lo * b);
}
/// Corrects the device's own division, which need not be exact.
inline pair operator/(pair a, pair b) {
    const term q = a.hi / b.hi;
    const pair rest = a - b * q;
    return fast_sum(q, rest.hi / b.hi);
}
inline pair square_root(pair a) {
    const term s = call(ir::op::sqrt, a.hi);
    const pair rest = a - product(s, s);
    return fast_sum(s, rest.hi / (s + s));
}
/// By a power of two.
inline pair times(pair a, term power) { return {a.hi * power, a.lo * power}; }
inline pair select(term c, pair a, pair b) { return {select(c, a.hi, b.hi), select(c, a.lo, b.lo)}; }
inline term rounded(pair a) { return a.hi + a.lo; }
inline pair widened(term a) { return {a, real(a, 0)}; }

}  // namespace quern::spirv::lower
