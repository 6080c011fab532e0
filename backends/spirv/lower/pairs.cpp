#include "backends/spirv/lower/pairs.hpp"

namespace quern::spirv::lower {
namespace {

/// The upper half of the bits; what remains fits the other half.
term upper_half(term a) {
    const number_format& f = format_of(a.kind());
    const term b = bits_of(a);
    return real_of(b & word(b, ~std::uint64_t{0} << (f.precision / 2 + f.precision % 2)), a.kind());
}

}  // namespace

pair pair_constant(const term& like, double hi, double lo) {
    if (like.kind() == ir::scalar_kind::f64) return {real(like, hi), real(like, lo)};
    const double first = static_cast<float>(hi);
    return {real(like, first), real(like, (hi - first) + lo)};
}

pair product(term a, term b) {
    const term p = a * b, ah = upper_half(a), bh = upper_half(b), al = a - ah, bl = b - bh;
    return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

}  // namespace quern::spirv::lower
