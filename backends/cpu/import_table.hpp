// Functions that compiled CPU kernels call through quern_cpu_launch::imports: libm, scalar, one entry a function and
// width. The order is the ABI between codegen and runtime: the table is the one place that names them.
#pragma once

#include "dsl/ir/op.hpp"

namespace quern::cpu {

//   QUERN_CPU_IMPORT(ir op, operand count, C function for float, C function for double)
#define QUERN_CPU_IMPORTS(X)                                            \
    X(cbrt, 1, cbrtf, platform::cube_root)                              \
    X(exp, 1, expf, exp)                                                \
    X(exp2, 1, exp2f, exp2)                                             \
    X(expm1, 1, expm1f, expm1)                                          \
    X(log, 1, logf, log)                                                \
    X(log2, 1, log2f, log2)                                             \
    X(log10, 1, log10f, platform::decimal_logarithm)                    \
    X(log1p, 1, log1pf, log1p)                                          \
    X(sin, 1, sinf, sin)                                                \
    X(cos, 1, cosf, cos)                                                \
    X(tan, 1, tanf, tan)                                                \
    X(asin, 1, asinf, asin)                                             \
    X(acos, 1, acosf, acos)                                             \
    X(atan, 1, atanf, atan)                                             \
    X(sinh, 1, sinhf, sinh)                                             \
    X(cosh, 1, coshf, cosh)                                             \
    X(tanh, 1, tanhf, platform::hyperbolic_tangent)                     \
    X(asinh, 1, asinhf, asinh)                                          \
    X(acosh, 1, acoshf, acosh)                                          \
    X(atanh, 1, atanhf, atanh)                                          \
    X(erf, 1, erff, erf)                                                \
    X(erfc, 1, erfcf, erfc)                                             \
    X(tgamma, 1, platform::gamma, tgamma)                               \
    X(lgamma, 1, platform::log_gamma, platform::log_gamma)              \
    X(pow, 2, powf, pow)                                                \
    X(atan2, 2, atan2f, atan2)                                          \
    X(hypot, 2, hypotf, hypot)                                          \
    X(fmod, 2, fmodf, fmod)                                             \
    X(remainder, 2, remainderf, platform::nearest_remainder)            \
    X(nextafter, 2, nextafterf, nextafter)                              \
    X(fma, 3, fmaf, fma)                                                \
    X(floor, 1, floorf, floor)                                          \
    X(ceil, 1, ceilf, ceil)                                             \
    X(trunc, 1, truncf, trunc)                                          \
    X(round, 1, roundf, round)                                          \
    X(rint, 1, rintf, rint)

/// The last six serve targets without such instructions.
/// Two slots an op: float, then double.
enum class import : unsigned {
#define QUERN_CPU_IMPORT_ENUM(op, operands, float_function, double_function) op##_f32, op##_f64,
    QUERN_CPU_IMPORTS(QUERN_CPU_IMPORT_ENUM)
#undef QUERN_CPU_IMPORT_ENUM
};

/// The table itself, filled by the runtime side (no LLVM).
const void* const* imports();

}  // namespace quern::cpu
