// What the maths functions are written in: floats, integers of the same width and masks, each one LLVM value (a vector of
// any length or a scalar), with operators that emit code. Also the machine's instructions for splitting and scaling floats
// where it has them. No operation here may be contracted or reassociated, whatever the kernel's math mode: compensated
// sums depend on it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "backends/cpu/codegen/maths/coefficients.hpp"

namespace quern::cpu::codegen::maths {

/// Whether NaN, infinities, zeros and the sign of zero must come out as C's Annex F says.
enum class special_values : std::uint8_t { exact, open };

/// Where and for which machine code is emitted.
struct workshop {
    explicit workshop(llvm::IRBuilder<>& builder) : b(builder) {}

    llvm::IRBuilder<>& b;
    bool has_fma = false;
    bool has_rounding = false;  ///< the target rounds to integers (SSE4.1)
    bool has_avx512 = false;    ///< AVX-512 F, DQ and VL
    unsigned register_bits = 128;  ///< of the vector registers that code of this width may use
    bool approximates = false;  ///< the math mode allows estimates: contract and fast
    special_values specials = special_values::exact;
    std::function<llvm::Value*(llvm::Value*)> any_lane;  ///< an i1 from a mask: some lane that is on has it
};

/// A value of any kind with the workshop it came from.
struct operand {
    llvm::Value* value = nullptr;
    workshop* shop = nullptr;
    llvm::IRBuilder<>& b() const { return shop->b; }
    /// This scalar type for all lanes of the value.
    llvm::Type* like(llvm::Type* scalar) const;
};

struct mask : operand {};

/// Integers as wide as the floats they go with.
struct whole : operand {
    whole constant(std::int64_t n) const;
};

struct real : operand {
    bool is_double() const { return value->getType()->getScalarType()->isDoubleTy(); }
    unsigned fraction_bits() const { return is_double() ? 52 : 23; }
    std::int64_t bias() const { return is_double() ? 1023 : 127; }
    real constant(double x) const;
    /// The constant that this format needs.
    real constant(double for_float, double for_double) const { return constant(is_double() ? for_double : for_float); }
    /// A part of a constant that has more digits than the format.
    real constant(const expansion& x, unsigned part = 0) const { return constant(is_double() ? x.f64[part] : x.f32[part]); }
    real infinity() const;
    real nan() const;
};

/// An unevaluated sum, |low| at most half a unit in the last place of high.
struct sum {
    real high, low;
};

real operator+(real a, real b);
real operator-(real a, real b);
real operator*(real a, real b);
real operator/(real a, real b);
real operator-(real a);
inline real operator*(real a, const expansion& b) { return a * a.constant(b); }
inline real operator+(real a, double b) { return a + a.constant(b); }
inline real operator-(real a, double b) { return a - a.constant(b); }
inline real operator*(real a, double b) { return a * a.constant(b); }
inline real operator/(real a, double b) { return a / a.constant(b); }
inline real operator-(double a, real b) { return b.constant(a) - b; }
inline real operator/(double a, real b) { return b.constant(a) / b; }

mask operator<(real a, real b);
mask operator>(real a, real b);
mask operator<=(real a, real b);
mask operator>=(real a, real b);
mask operator==(real a, real b);
inline mask operator<(real a, double b) { return a < a.constant(b); }
inline mask operator>(real a, double b) { return a > a.constant(b); }
inline mask operator<=(real a, double b) { return a <= a.constant(b); }
inline mask operator>=(real a, double b) { return a >= a.constant(b); }
inline mask operator==(real a, double b) { return a == a.constant(b); }
mask is_nan(real a);
mask operator&(mask a, mask b);
mask operator|(mask a, mask b);
mask operator!(mask a);

whole operator+(whole a, whole b);
whole operator-(whole a, whole b);
whole operator&(whole a, whole b);
whole operator|(whole a, whole b);
whole operator^(whole a, whole b);
whole operator<<(whole a, unsigned count);
whole operator>>(whole a, unsigned count);  ///< logical
mask operator==(whole a, whole b);
mask operator<(whole a, whole b);           ///< signed
inline whole operator+(whole a, std::int64_t b) { return a + a.constant(b); }
inline whole operator-(whole a, std::int64_t b) { return a - a.constant(b); }
inline whole operator&(whole a, std::int64_t b) { return a & a.constant(b); }
inline mask operator==(whole a, std::int64_t b) { return a == a.constant(b); }
inline mask operator<(whole a, std::int64_t b) { return a < a.constant(b); }

real select(mask c, real a, real b);
whole select(mask c, whole a, whole b);
inline real select(mask c, double a, real b) { return select(c, b.constant(a), b); }
inline real select(mask c, real a, double b) { return select(c, a, a.constant(b)); }
inline sum select(mask c, sum a, sum b) { return {select(c, a.high, b.high), select(c, a.low, b.low)}; }
/// `b` where `c` holds for operands that fast mode does not have; otherwise, and there always, `a`.
real unless(mask c, real b, real a);
inline real unless(mask c, double b, real a) { return unless(c, a.constant(b), a); }

whole bits(real a);
real from_bits(whole a);
real abs(real a);
real sqrt(real a);
/// The sign bit of `a` alone.
whole sign_of(real a);
/// `a` with its sign flipped where `sign` has the sign bit.
real flip(real a, whole sign);
/// At least low, at most high; NaN stays.
real at_least(real a, double low);
real at_most(real a, double high);
real widen(real a);   ///< float to double
real narrow(real a);  ///< double to float, rounded
real to_real(whole n, real like);  ///< |n| < 2^22 (float), 2^51 (double)

/// a * b + c, rounded once where the machine can.
real fma(real a, real b, real c);
inline real fma(real a, double b, real c) { return fma(a, a.constant(b), c); }
inline real fma(real a, real b, double c) { return fma(a, b, a.constant(c)); }
inline real fma(real a, double b, double c) { return fma(a, a.constant(b), a.constant(c)); }
/// a * b + c where the exact result has a float: then exactly that, on any machine.
real fma_exact(real a, real b, real c);

/// Exactly a + b; the second form needs |a| >= |b| or a = 0.
sum two_sum(real a, real b);
sum quick_two_sum(real a, real b);
/// Exactly a * b, barring underflow.
sum two_product(real a, real b);
sum operator+(sum a, sum b);
sum operator+(sum a, real b);
sum operator*(sum a, sum b);
sum operator*(sum a, real b);
sum operator/(sum a, sum b);
inline real collapse(sum a) { return a.high + a.low; }

real polynomial_of(real z, std::span<const double> coefficients);
real polynomial_of(real z, const polynomial& p);

/// The nearest integer (ties to even) as a float and, modulo the width, as an integer. |a| < 2^22 or 2^51.
struct nearest_integer {
    real value;
    whole number;
};
nearest_integer nearest(real a);
/// nearest(a * b) with one rounding.
nearest_integer nearest_product(real a, real b);
/// The nearest integer, of any size.
real round_any(real a);
real truncate_any(real a);

/// a * 2^n, |n| < 4 * bias, rounded once.
real scale(real a, nearest_integer n);

/// x = fraction * 2^exponent with fraction in [3/4, 3/2): for x > 0, finite. Where `covers_specials`, also: zero
/// gives 1 and -infinity, infinity 1 and infinity, what is below zero and NaN give NaN.
struct split_float {
    real fraction, exponent;
    bool covers_specials;
};
split_float split(real x);

/// 1 / sqrt(x) to 14 bits where the machine estimates it (AVX-512); an empty value otherwise.
real estimate_rsqrt(real x);

/// What `slow` gives where any lane has `c`, otherwise `usual`, as vectors of values; a branch keeps `slow` off the path.
using values = llvm::SmallVector<llvm::Value*, 4>;
values rarely(mask c, const values& usual, const std::function<values()>& slow);

}  // namespace quern::cpu::codegen::maths
