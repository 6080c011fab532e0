// The floating-point environment of compiled kernels: rounding to nearest, denormals kept, exceptions masked.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace quern::platform {

/// Sets the default environment for this thread and restores the previous one, its flags too.
class default_floating_point {
public:
    default_floating_point(const default_floating_point&) = delete;
    default_floating_point& operator=(const default_floating_point&) = delete;

#if defined(__x86_64__)
    default_floating_point() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80u); }
    ~default_floating_point() { _mm_setcsr(saved_); }

private:
    unsigned saved_;
#else
    default_floating_point() {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~default_floating_point() { std::fesetenv(&saved_); }

private:
    std::fenv_t saved_;
#endif
};

}  // namespace quern::platform
