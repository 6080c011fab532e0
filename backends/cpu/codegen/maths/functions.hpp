// The maths functions, each as vector code for float and double. `function_of` is the table that the emitter asks.
#pragma once

#include "backends/cpu/codegen/maths/expression.hpp"
#include "dsl/ir/op.hpp"

namespace quern::cpu::codegen::maths {

real exp(real x);
real exp2(real x);
real expm1(real x);
real sinh(real x);
real cosh(real x);
real tanh(real x);

real log(real x);
real log2(real x);
real log10(real x);
real log1p(real x);
real asinh(real x);
real acosh(real x);
real atanh(real x);
real pow(real x, real y);

real sin(real x);
real cos(real x);
real tan(real x);
real asin(real x);
real acos(real x);
real atan(real x);
real atan2(real y, real x);

real erf(real x);
real erfc(real x);
real tgamma(real x);
real lgamma(real x);

real rsqrt(real x);
real cbrt(real x);
real hypot(real x, real y);
real fmod(real x, real y);
real remainder(real x, real y);
real nextafter(real x, real y);
real floor(real x);
real ceil(real x);
real trunc(real x);
real round(real x);
real rint(real x);

/// What the functions of one file share with another.

/// e^(x + tail) times 2^offset; |tail| is small beside x. Over- and underflow as the result's.
real exp_scaled(real x, real tail, double offset);
/// e^(x + tail) as (1 + rest) 2^n, `rest` an unevaluated sum; x within what exp gives finite, non-zero results for.
struct exponential {
    sum rest;
    nearest_integer n;
};
exponential exp_parts(real x, real tail);
/// log(x + tail) for x > 0 and finite, to about 1.6 times the digits of the format.
sum log_sum(real x, real tail);
/// sin(pi x), for |x| below 2^22 or 2^51.
real sin_pi(real x);

/// Emits `code`; an empty value where there is no function for it.
llvm::Value* emit(ir::op code, workshop& shop, std::span<llvm::Value* const> in);

}  // namespace quern::cpu::codegen::maths
