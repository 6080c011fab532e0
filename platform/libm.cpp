#include "platform/libm.hpp"

#include <math.h>

namespace quern::platform {

#ifdef _WIN32

float log_gamma(float x) { return ::lgammaf(x); }
double log_gamma(double x) { return ::lgamma(x); }

#else

float log_gamma(float x) {
    int sign = 0;
    return ::lgammaf_r(x, &sign);
}

double log_gamma(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);
}

#endif

float gamma(float x) { return static_cast<float>(::tgamma(static_cast<double>(x))); }
double cube_root(double x) { return static_cast<double>(::cbrtl(x)); }
double hyperbolic_tangent(double x) { return static_cast<double>(::tanhl(x)); }
double nearest_remainder(double x, double y) {
    const double rest = ::remainder(x, y);
    return rest == 0 ? ::copysign(rest, x) : rest;
}
double decimal_logarithm(double x) { return static_cast<double>(::log10l(x)); }

}  // namespace quern::platform
