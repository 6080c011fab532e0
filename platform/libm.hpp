// Functions of the system's libm where it falls short: hidden state (lgamma), or errors above the bounds that
// dsl/ir/accuracy.def states (glibc's double cbrt, tanh and log10, its float tgamma): those go through a wider type.
#pragma once

namespace quern::platform {

float log_gamma(float x);
double log_gamma(double x);
float gamma(float x);
double cube_root(double x);
double hyperbolic_tangent(double x);
/// remainder whose zeros have the sign of x, which glibc forgets for divisors near the smallest normal number.
double nearest_remainder(double x, double y);
double decimal_logarithm(double x);

}  // namespace quern::platform
