#include "dsl/ir/accuracy.hpp"

#include <algorithm>
#include <array>

namespace quern::ir {
namespace {

constexpr auto bounds = std::to_array<error_bound>({
#define QUERN_ACCURACY(name, f32, f64) {op::name, f32, f64},
#define QUERN_UNORDERED(name)
#include "dsl/ir/accuracy.def"
#undef QUERN_ACCURACY
#undef QUERN_UNORDERED
});

constexpr auto unordered = std::to_array<op>({
#define QUERN_ACCURACY(name, f32, f64)
#define QUERN_UNORDERED(name) op::name,
#include "dsl/ir/accuracy.def"
#undef QUERN_ACCURACY
#undef QUERN_UNORDERED
});

}  // namespace

std::span<const error_bound> error_bounds() { return bounds; }

std::optional<std::uint32_t> max_ulp(op code, scalar_kind k) {
    if (!is_float(k)) return 0;
    if (std::ranges::find(unordered, code) != unordered.end()) return std::nullopt;
    const auto row = std::ranges::find(bounds, code, &error_bound::code);
    if (row == bounds.end()) return 0;
    if (k == scalar_kind::f64) return row->f64_ulp;
    return k == scalar_kind::f32 ? row->f32_ulp : 1;
}

bool bound_applies(op code, scalar_kind k, double operand) {
    if (code != op::lgamma) return true;
    return k == scalar_kind::f64 ? operand <= -23.0001 || operand >= -2.2637 : operand <= -10.001 || operand >= -2.264;
}

}  // namespace quern::ir
