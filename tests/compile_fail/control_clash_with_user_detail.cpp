// compiles
#include <quern/quern.hpp>

using namespace quern;

namespace detail {
inline constexpr float value = 1.f;
}

kernel k{"k", [](inout<float> y) { y[global_id()] = detail::value; }};
