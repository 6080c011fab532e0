// compiles
#include <quern/quern.hpp>

using namespace quern;

namespace cuda {
namespace std {
using size_t = decltype(sizeof(0));
}
inline constexpr float value = 1.f;
}  // namespace cuda

kernel k{"k", [](inout<float> y) { y[global_id()] = cuda::value + static_cast<float>(sizeof(cuda::std::size_t)); }};
