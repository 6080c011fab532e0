// How each operation is written: one row an op, checked against ops.def when this is compiled.
#pragma once

#include <array>

#include "backends/spirv/emitter.hpp"

namespace quern::spirv {

/// One opcode a class of operand, or a member function, or nothing: the lowering leaves none of that op.
struct rule {
    ir::op op;
    spv::Op on_signed = spv::OpNop;
    spv::Op on_unsigned = spv::OpNop;
    spv::Op on_float = spv::OpNop;
    spv::Op on_bool = spv::OpNop;
    id (emitter::*function)(ir::value_id) = nullptr;
    bool is_lowered = false;
};

struct rule_table {
    static constexpr rule direct(ir::op op, spv::Op integer, spv::Op real, spv::Op boolean = spv::OpNop) {
        return {op, integer, integer, real, boolean};
    }
    static constexpr rule ordered(ir::op op, spv::Op on_signed, spv::Op on_unsigned, spv::Op real) {
        return {op, on_signed, on_unsigned, real, spv::OpNop};
    }
    static constexpr rule special(ir::op op, id (emitter::*function)(ir::value_id)) {
        return {op, spv::OpNop, spv::OpNop, spv::OpNop, spv::OpNop, function};
    }
    static constexpr rule lowered(ir::op op) { return {.op = op, .is_lowered = true}; }

    static constexpr auto make() {
        using enum ir::op;
        return std::to_array<rule>({
            special(constant, &emitter::constant), special(parameter, &emitter::parameter),
            special(buffer_size, &emitter::position), special(induction, nullptr),
            special(global_id, &emitter::position), special(local_id, &emitter::position),
            special(workgroup_id, &emitter::position), special(workgroup_count, &emitter::position),
            special(extent, &emitter::position), special(subgroup_size, &emitter::position),
            special(subgroup_lane, &emitter::position), special(subgroup_id, &emitter::position),
            special(subgroup_count, &emitter::position),

            direct(add, spv::OpIAdd, spv::OpFAdd), direct(sub, spv::OpISub, spv::OpFSub),
            direct(mul, spv::OpIMul, spv::OpFMul), special(div, &emitter::divide), special(rem, &emitter::remainder),
            special(neg, &emitter::negate), special(abs, &emitter::absolute), special(min, &emitter::minimum),
            special(max, &emitter::maximum), special(fma, &emitter::fused),

            direct(bit_and, spv::OpBitwiseAnd, spv::OpNop, spv::OpLogicalAnd),
            direct(bit_or, spv::OpBitwiseOr, spv::OpNop, spv::OpLogicalOr),
            direct(bit_xor, spv::OpBitwiseXor, spv::OpNop, spv::OpLogicalNotEqual),
            direct(bit_not, spv::OpNot, spv::OpNop, spv::OpLogicalNot), special(shl, &emitter::shift),
            special(shr, &emitter::shift), special(popcount, &emitter::count_bits),
            special(clz, &emitter::leading_zeros), special(ctz, &emitter::trailing_zeros),
            special(reverse_bits, &emitter::reverse),

            direct(eq, spv::OpIEqual, spv::OpFOrdEqual, spv::OpLogicalEqual),
            direct(ne, spv::OpINotEqual, spv::OpFUnordNotEqual, spv::OpLogicalNotEqual),
            ordered(lt, spv::OpSLessThan, spv::OpULessThan, spv::OpFOrdLessThan),
            ordered(le, spv::OpSLessThanEqual, spv::OpULessThanEqual, spv::OpFOrdLessThanEqual),
            ordered(gt, spv::OpSGreaterThan, spv::OpUGreaterThan, spv::OpFOrdGreaterThan),
            ordered(ge, spv::OpSGreaterThanEqual, spv::OpUGreaterThanEqual, spv::OpFOrdGreaterThanEqual),
            special(select, &emitter::select),

            special(cast, &emitter::cast), special(bit_cast, &emitter::reinterpret),
            special(construct, &emitter::construct), special(extract, &emitter::extract),
            special(insert, &emitter::insert), special(extract_dynamic, &emitter::extract_dynamic),
            special(swizzle, &emitter::swizzle),

            special(floor, &emitter::float_function), special(ceil, &emitter::float_function),
            special(trunc, &emitter::float_function), lowered(round), special(rint, &emitter::float_function),

            special(sqrt, &emitter::float_function), lowered(rsqrt), lowered(cbrt), lowered(exp), lowered(exp2),
            lowered(expm1), lowered(log), lowered(log2), lowered(log10), lowered(log1p), lowered(sin), lowered(cos),
            lowered(tan), lowered(asin), lowered(acos), lowered(atan), lowered(sinh), lowered(cosh), lowered(tanh),
            lowered(asinh), lowered(acosh), lowered(atanh), lowered(erf), lowered(erfc), lowered(tgamma),
            lowered(lgamma), lowered(pow), lowered(atan2), lowered(hypot), lowered(fmod), lowered(remainder),
            lowered(nextafter), lowered(copysign),

            special(load, &emitter::memory_load), special(uniform_load, &emitter::uniform_load),
            special(atomic_load, &emitter::atomic), special(atomic_store, &emitter::atomic),
            special(atomic_add, &emitter::atomic), special(atomic_sub, &emitter::atomic),
            special(atomic_min, &emitter::atomic), special(atomic_max, &emitter::atomic),
            special(atomic_and, &emitter::atomic), special(atomic_or, &emitter::atomic),
            special(atomic_xor, &emitter::atomic), special(atomic_exchange, &emitter::atomic),
            special(atomic_compare_exchange, &emitter::atomic),

            special(subgroup_add, &emitter::subgroup_operation), special(subgroup_mul, &emitter::subgroup_operation),
            special(subgroup_min, &emitter::subgroup_operation), special(subgroup_max, &emitter::subgroup_operation),
            special(subgroup_and, &emitter::subgroup_operation), special(subgroup_or, &emitter::subgroup_operation),
            special(subgroup_xor, &emitter::subgroup_operation),
            special(subgroup_inclusive_add, &emitter::subgroup_operation),
            special(subgroup_exclusive_add, &emitter::subgroup_operation),
            special(subgroup_broadcast, &emitter::subgroup_operation),
            special(subgroup_shuffle, &emitter::subgroup_operation),
            special(subgroup_shuffle_xor, &emitter::subgroup_operation),
            special(subgroup_shuffle_up, &emitter::subgroup_operation),
            special(subgroup_shuffle_down, &emitter::subgroup_operation),
            special(subgroup_any, &emitter::subgroup_operation), special(subgroup_all, &emitter::subgroup_operation),
            special(subgroup_ballot, &emitter::subgroup_operation),
        });
    }
};

inline constexpr auto rules = rule_table::make();

constexpr bool rules_follow_the_ops() {
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (rules[i].op != static_cast<ir::op>(i)) return false;
    return rules.size() == ir::op_count;
}
static_assert(rules_follow_the_ops(), "every op of ops.def needs its rule here, in the table's order");

}  // namespace quern::spirv
