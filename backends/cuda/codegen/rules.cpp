#include "backends/cuda/codegen/rules.hpp"

#include <algorithm>
#include <array>

namespace quern::cuda {
namespace {

using ir::op;
using ir::scalar_kind;
using enum form;

constexpr auto rules = std::to_array<rule>({
    {op::constant, inline_leaf},
    {op::parameter, inline_leaf},
    {op::buffer_size, inline_leaf},
    {op::induction, inline_leaf},
    {op::global_id, position, "global_$d"},
    {op::local_id, position, "threadIdx.$d"},
    {op::workgroup_id, position, "group_$d"},
    {op::workgroup_count, position, "groups_$d"},
    {op::extent, position, "extent_$d"},
    {op::subgroup_size, position, "32u"},
    {op::subgroup_lane, position, "lane_id()"},
    {op::subgroup_id, position, "flat_local_id() / 32u"},
    {op::subgroup_count, position, "$w"},

    {op::add, elementwise, "$0 + $1", "wrap_add($0, $1)", "$0 + $1", "$0 + $1"},
    {op::sub, elementwise, "$0 - $1", "wrap_sub($0, $1)", "$0 - $1", "$0 - $1"},
    {op::mul, elementwise, "$0 * $1", "wrap_mul($0, $1)", "$0 * $1", "$0 * $1"},
    {op::div, elementwise, "divide($0, $1)", "divide($0, $1)", "$0 / $1", "$0 / $1"},
    {op::rem, elementwise, "modulo($0, $1)", "modulo($0, $1)", "fmodf($0, $1)", "fmod($0, $1)"},
    {op::neg, elementwise, "0u - $0", "wrap_neg($0)", "-$0", "-$0"},
    {op::abs, elementwise, "$0", "absolute($0)", "fabsf($0)", "fabs($0)"},
    {op::min, elementwise, "lesser($0, $1)", "lesser($0, $1)", "fminf($0, $1)", "lesser($0, $1)"},
    {op::max, elementwise, "greater($0, $1)", "greater($0, $1)", "fmaxf($0, $1)", "greater($0, $1)"},
    {op::fma, elementwise, "", "", "fmaf($0, $1, $2)", "fma($0, $1, $2)"},

    {op::bit_and, elementwise, "$0 & $1", "$0 & $1"},
    {op::bit_or, elementwise, "$0 | $1", "$0 | $1"},
    {op::bit_xor, elementwise, "$0 ^ $1", "$0 ^ $1"},
    {op::bit_not, elementwise, "~$0", "~$0"},
    {op::shl, elementwise, "$0 << ($1 & $m)", "shift_left($0, $1)"},
    {op::shr, elementwise, "$0 >> ($1 & $m)", "$0 >> ($1 & $m)"},
    {op::popcount, elementwise, "count_ones($0)", "count_ones($0)"},
    {op::clz, elementwise, "leading_zeros($0)", "leading_zeros($0)"},
    {op::ctz, elementwise, "trailing_zeros($0)", "trailing_zeros($0)"},
    {op::reverse_bits, elementwise, "reversed($0)", "reversed($0)"},

    {op::eq, compare, "$0 == $1", "$0 == $1", "$0 == $1", "$0 == $1"},
    {op::ne, compare, "$0 != $1", "$0 != $1", "$0 != $1", "$0 != $1"},
    {op::lt, compare, "$0 < $1", "$0 < $1", "$0 < $1", "$0 < $1"},
    {op::le, compare, "$0 <= $1", "$0 <= $1", "$0 <= $1", "$0 <= $1"},
    {op::gt, compare, "$0 > $1", "$0 > $1", "$0 > $1", "$0 > $1"},
    {op::ge, compare, "$0 >= $1", "$0 >= $1", "$0 >= $1", "$0 >= $1"},
    {op::select, form::select},
    {op::cast, form::cast},
    {op::bit_cast, form::bit_cast},
    {op::construct, form::construct},
    {op::extract, form::extract},
    {op::insert, form::insert},
    {op::extract_dynamic, form::extract_dynamic},
    {op::swizzle, form::swizzle},

    {op::floor, elementwise, "", "", "floorf($0)", "floor($0)"},
    {op::ceil, elementwise, "", "", "ceilf($0)", "ceil($0)"},
    {op::trunc, elementwise, "", "", "truncf($0)", "trunc($0)"},
    {op::round, elementwise, "", "", "roundf($0)", "round($0)"},
    {op::rint, elementwise, "", "", "rintf($0)", "rint($0)"},
    {op::sqrt, elementwise, "", "", "sqrtf($0)", "sqrt($0)"},
    {op::rsqrt, elementwise, "", "", "rsqrtf($0)", "rsqrt($0)"},
    {op::cbrt, elementwise, "", "", "cbrtf($0)", "cbrt($0)"},
    {op::exp, elementwise, "", "", "expf($0)", "exp($0)"},
    {op::exp2, elementwise, "", "", "exp2f($0)", "exp2($0)"},
    {op::expm1, elementwise, "", "", "expm1f($0)", "expm1($0)"},
    {op::log, elementwise, "", "", "logf($0)", "log($0)"},
    {op::log2, elementwise, "", "", "log2f($0)", "log2($0)"},
    {op::log10, elementwise, "", "", "log10f($0)", "log10($0)"},
    {op::log1p, elementwise, "", "", "log1pf($0)", "log1p($0)"},
    {op::sin, elementwise, "", "", "sinf($0)", "sin($0)"},
    {op::cos, elementwise, "", "", "cosf($0)", "cos($0)"},
    {op::tan, elementwise, "", "", "tanf($0)", "tan($0)"},
    {op::asin, elementwise, "", "", "asinf($0)", "asin($0)"},
    {op::acos, elementwise, "", "", "acosf($0)", "acos($0)"},
    {op::atan, elementwise, "", "", "atanf($0)", "atan($0)"},
    {op::sinh, elementwise, "", "", "sinhf($0)", "sinh($0)"},
    {op::cosh, elementwise, "", "", "coshf($0)", "cosh($0)"},
    {op::tanh, elementwise, "", "", "tanhf($0)", "tanh($0)"},
    {op::asinh, elementwise, "", "", "asinhf($0)", "asinh($0)"},
    {op::acosh, elementwise, "", "", "acoshf($0)", "acosh($0)"},
    {op::atanh, elementwise, "", "", "atanhf($0)", "atanh($0)"},
    {op::erf, elementwise, "", "", "erff($0)", "erf($0)"},
    {op::erfc, elementwise, "", "", "erfcf($0)", "erfc($0)"},
    {op::tgamma, elementwise, "", "", "tgammaf($0)", "tgamma($0)"},
    {op::lgamma, elementwise, "", "", "lgammaf($0)", "lgamma($0)"},
    {op::pow, elementwise, "", "", "powf($0, $1)", "pow($0, $1)"},
    {op::atan2, elementwise, "", "", "atan2f($0, $1)", "atan2($0, $1)"},
    {op::hypot, elementwise, "", "", "hypotf($0, $1)", "hypot($0, $1)"},
    {op::fmod, elementwise, "", "", "fmodf($0, $1)", "fmod($0, $1)"},
    {op::remainder, elementwise, "", "", "remainderf($0, $1)", "remainder($0, $1)"},
    {op::nextafter, elementwise, "", "", "nextafterf($0, $1)", "nextafter($0, $1)"},
    {op::copysign, elementwise, "", "", "copysignf($0, $1)", "copysign($0, $1)"},

    {op::load, form::load},
    {op::uniform_load, form::uniform_load},
    {op::atomic_load, atomic, "atomic_load($p)"},
    {op::atomic_store, atomic, "atomic_store($p, $0)"},
    {op::atomic_add, atomic, "atomic_add($p, $0)"},
    {op::atomic_sub, atomic, "atomic_sub($p, $0)"},
    {op::atomic_min, atomic, "atomic_min($p, $0)"},
    {op::atomic_max, atomic, "atomic_max($p, $0)"},
    {op::atomic_and, atomic, "atomic_and($p, $0)"},
    {op::atomic_or, atomic, "atomic_or($p, $0)"},
    {op::atomic_xor, atomic, "atomic_xor($p, $0)"},
    {op::atomic_exchange, atomic, "atomic_exchange($p, $0)"},
    {op::atomic_compare_exchange, atomic, "atomic_compare_exchange($p, $0, $1)"},

    {op::subgroup_add, reduce, "", "", "", "", op::add},
    {op::subgroup_mul, reduce, "", "", "", "", op::mul},
    {op::subgroup_min, reduce, "", "", "", "", op::min},
    {op::subgroup_max, reduce, "", "", "", "", op::max},
    {op::subgroup_and, reduce, "", "", "", "", op::bit_and},
    {op::subgroup_or, reduce, "", "", "", "", op::bit_or},
    {op::subgroup_xor, reduce, "", "", "", "", op::bit_xor},
    {op::subgroup_inclusive_add, scan, "warp_inclusive_scan", "", "", "", op::add},
    {op::subgroup_exclusive_add, scan, "warp_exclusive_scan", "", "", "", op::add},
    {op::subgroup_broadcast, lanes, "warp_shuffle($k, $0, $1)"},
    {op::subgroup_shuffle, lanes, "warp_shuffle($k, $0, $1)"},
    {op::subgroup_shuffle_xor, lanes, "warp_shuffle_xor($k, $0, $1)"},
    {op::subgroup_shuffle_up, lanes, "warp_shuffle_up($k, $0, $1)"},
    {op::subgroup_shuffle_down, lanes, "warp_shuffle_down($k, $0, $1)"},
    {op::subgroup_any, lanes, "__any_sync($k, $0) != 0"},
    {op::subgroup_all, lanes, "__all_sync($k, $0) != 0"},
    {op::subgroup_ballot, ballot},
});

constexpr bool is_complete() {
    if (rules.size() != ir::op_count) return false;
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (static_cast<std::size_t>(rules[i].code) != i) return false;
    return true;
}
static_assert(is_complete(), "rules must have one row an op, in the order of ops.def");

/// Texts of kinds that the columns do not suit.
struct exception {
    op code;
    bool is_half;  ///< half and bfloat16, else bool
    std::string_view text;
};
constexpr exception exceptions[] = {
    {op::bit_not, false, "!$0"},
    {op::neg, true, "negated($0)"},
    {op::abs, true, "absolute($0)"},
    {op::fma, true, "fused($0, $1, $2)"},
    {op::nextafter, true, "next_after($0, $1)"},
    {op::copysign, true, "with_sign($0, $1)"},
};

constexpr bool is_half(scalar_kind k) { return k == scalar_kind::f16 || k == scalar_kind::bf16; }

const exception* find_exception(op code, scalar_kind k) {
    for (const exception& e : exceptions)
        if (e.code == code && (e.is_half ? is_half(k) : k == scalar_kind::boolean)) return &e;
    return nullptr;
}

struct reduction {
    op code;
    std::string_view text;
};
constexpr reduction reductions[] = {
    {op::subgroup_add, "($t)__reduce_add_sync($k, $0)"}, {op::subgroup_min, "($t)__reduce_min_sync($k, $0)"},
    {op::subgroup_max, "($t)__reduce_max_sync($k, $0)"}, {op::subgroup_and, "($t)__reduce_and_sync($k, (uint)$0)"},
    {op::subgroup_or, "($t)__reduce_or_sync($k, (uint)$0)"}, {op::subgroup_xor, "($t)__reduce_xor_sync($k, (uint)$0)"},
};

}  // namespace

const rule& rule_of(op code) { return rules[static_cast<std::size_t>(code)]; }
std::span<const rule> all_rules() { return rules; }

std::string_view text_of(op code, scalar_kind k) {
    if (const exception* e = find_exception(code, k)) return e->text;
    const rule& r = rule_of(code);
    switch (k) {
        case scalar_kind::none: return {};
        case scalar_kind::u32: case scalar_kind::u64: return r.unsigned_text;
        case scalar_kind::boolean: case scalar_kind::i8: case scalar_kind::i16: case scalar_kind::i32:
        case scalar_kind::i64: case scalar_kind::u8: case scalar_kind::u16: return r.other_text;
        case scalar_kind::f16: case scalar_kind::bf16: case scalar_kind::f32: return r.f32_text;
        case scalar_kind::f64: return r.f64_text;
    }
    return {};
}

bool is_computed_in_float(op code, scalar_kind k) { return is_half(k) && find_exception(code, k) == nullptr; }

std::string_view native_reduction(op code, scalar_kind k) {
    if (k != scalar_kind::u32 && k != scalar_kind::i32) return {};
    for (const reduction& r : reductions)
        if (r.code == code) return r.text;
    return {};
}

}  // namespace quern::cuda
