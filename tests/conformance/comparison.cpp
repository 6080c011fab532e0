#include "tests/conformance/comparison.hpp"

#include "dsl/ir/accuracy.hpp"
#include "dsl/ir/float_format.hpp"

namespace quern::tests {
namespace {

/// Order of the floats as integers: the bits count magnitudes.
std::int64_t rank(const ir::float_format& f, std::uint64_t bits) {
    const auto magnitude = static_cast<std::int64_t>(bits & ~f.sign_mask);
    return (bits & f.sign_mask) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint64_t ulp_distance(ir::scalar_kind k, std::uint64_t a, std::uint64_t b) {
    const ir::float_format f = ir::format_of(k);
    const auto x = static_cast<std::uint64_t>(rank(f, a)), y = static_cast<std::uint64_t>(rank(f, b));
    return rank(f, a) < rank(f, b) ? y - x : x - y;
}

bool acceptable(ir::op code, ir::scalar_kind k, std::uint64_t got, std::uint64_t expected) {
    if (got == expected) return true;
    if (!ir::is_float(k)) return false;
    const ir::float_format f = ir::format_of(k);
    const auto magnitude = [&](std::uint64_t bits) { return bits & ~f.sign_mask; };
    const bool got_nan = magnitude(got) > f.infinity, expected_nan = magnitude(expected) > f.infinity;
    if (got_nan || expected_nan) return got_nan && expected_nan;
    if (magnitude(got) == 0 && magnitude(expected) == 0) return false;
    return ulp_distance(k, got, expected) <= ir::max_ulp(code, k).value_or(0);
}

}  // namespace quern::tests
