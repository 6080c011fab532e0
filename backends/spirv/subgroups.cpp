// Exchanges between the lanes of a subgroup. Lanes beyond what a device can shuffle by are reached by broadcasts.
#include <quern/error.hpp>

#include "backends/spirv/emitter.hpp"

namespace quern::spirv {
namespace {

struct reduction {
    ir::op op;
    spv::Op integer, real;
    spv::GroupOperation operation;
};
constexpr reduction reductions[] = {
    {ir::op::subgroup_add, spv::OpGroupNonUniformIAdd, spv::OpGroupNonUniformFAdd, spv::GroupOperationReduce},
    {ir::op::subgroup_mul, spv::OpGroupNonUniformIMul, spv::OpGroupNonUniformFMul, spv::GroupOperationReduce},
    {ir::op::subgroup_and, spv::OpGroupNonUniformBitwiseAnd, spv::OpNop, spv::GroupOperationReduce},
    {ir::op::subgroup_or, spv::OpGroupNonUniformBitwiseOr, spv::OpNop, spv::GroupOperationReduce},
    {ir::op::subgroup_xor, spv::OpGroupNonUniformBitwiseXor, spv::OpNop, spv::GroupOperationReduce},
    {ir::op::subgroup_inclusive_add, spv::OpGroupNonUniformIAdd, spv::OpGroupNonUniformFAdd, spv::GroupOperationInclusiveScan},
    {ir::op::subgroup_exclusive_add, spv::OpGroupNonUniformIAdd, spv::OpGroupNonUniformFAdd, spv::GroupOperationExclusiveScan},
};

}  // namespace

id emitter::subgroup_operation(ir::value_id v) {
    const ir::op code = m_[v].op;
    const ir::type& type = type_of(m_.operands_of(v)[0]);
    const id whole = native_type(m_[v].type), scope = u32(spv::ScopeSubgroup), x = operand(v, 0);
    code_.require(spv::CapabilityGroupNonUniform);
    for (const reduction& r : reductions) {
        if (r.op != code) continue;
        code_.require(spv::CapabilityGroupNonUniformArithmetic);
        return compute(ir::is_float(type.scalar) ? r.real : r.integer, whole, {scope, static_cast<word>(r.operation), x});
    }
    switch (code) {
        case ir::op::subgroup_any: code_.require(spv::CapabilityGroupNonUniformVote); return compute(spv::OpGroupNonUniformAny, whole, {scope, x});
        case ir::op::subgroup_all: code_.require(spv::CapabilityGroupNonUniformVote); return compute(spv::OpGroupNonUniformAll, whole, {scope, x});
        case ir::op::subgroup_ballot:
            code_.require(spv::CapabilityGroupNonUniformBallot);
            return compute(spv::OpGroupNonUniformBallot, whole, {scope, x});
        case ir::op::subgroup_min: case ir::op::subgroup_max: {  // the lowering leaves integers only
            code_.require(spv::CapabilityGroupNonUniformArithmetic);
            const bool is_signed = ir::is_signed_integer(type.scalar);
            const spv::Op least = is_signed ? spv::OpGroupNonUniformSMin : spv::OpGroupNonUniformUMin;
            const spv::Op most = is_signed ? spv::OpGroupNonUniformSMax : spv::OpGroupNonUniformUMax;
            return compute(code == ir::op::subgroup_min ? least : most, whole, {scope, spv::GroupOperationReduce, x});
        }
        case ir::op::subgroup_broadcast:
            if (m_[m_.operands_of(v)[1]].op == ir::op::constant) {
                code_.require(spv::CapabilityGroupNonUniformBallot);
                return compute(spv::OpGroupNonUniformBroadcast, whole, {scope, x, operand(v, 1)});
            }
            return shuffle(v, operand(v, 1));
        case ir::op::subgroup_shuffle: return shuffle(v, operand(v, 1));
        default: break;
    }
    // Relative to the own lane; where nobody moves by relations, from the lane that is meant.
    const bool is_xor = code == ir::op::subgroup_shuffle_xor, is_up = code == ir::op::subgroup_shuffle_up;
    if (is_xor && f_.shuffle) {
        code_.require(spv::CapabilityGroupNonUniformShuffle);
        return compute(spv::OpGroupNonUniformShuffleXor, whole, {scope, x, operand(v, 1)});
    }
    if (!is_xor && f_.shuffle_relative) {
        code_.require(spv::CapabilityGroupNonUniformShuffleRelative);
        return compute(is_up ? spv::OpGroupNonUniformShuffleUp : spv::OpGroupNonUniformShuffleDown, whole, {scope, x, operand(v, 1)});
    }
    const id lane = builtin(spv::BuiltInSubgroupLocalInvocationId, integer_type(32));
    const spv::Op step = is_xor ? spv::OpBitwiseXor : is_up ? spv::OpISub : spv::OpIAdd;
    return shuffle(v, compute(step, integer_type(32), {lane, operand(v, 1)}));
}

id emitter::shuffle(ir::value_id v, id source_lane) {
    const id whole = native_type(m_[v].type), scope = u32(spv::ScopeSubgroup), x = operand(v, 0);
    if (f_.shuffle) {
        code_.require(spv::CapabilityGroupNonUniformShuffle);
        return compute(spv::OpGroupNonUniformShuffle, whole, {scope, x, source_lane});
    }
    code_.require(spv::CapabilityGroupNonUniformBallot);
    id result = x;
    const std::uint32_t width = type_of(v).count;
    for (std::uint32_t lane = 0; lane < f_.subgroup_size; ++lane) {
        const id theirs = compute(spv::OpGroupNonUniformBroadcast, whole, {scope, x, u32(lane)});
        id meant = compute(spv::OpIEqual, bool_type(), {source_lane, u32(lane)});
        if (width > 1) meant = code_.add_result(section::body, spv::OpCompositeConstruct, bool_type(width), std::vector<word>(width, meant));
        result = compute(spv::OpSelect, whole, {meant, theirs, result});
    }
    return result;
}

}  // namespace quern::spirv
