// Subgroup operations: the lanes of one vector. Lanes that are off take no part.
#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {
namespace {

/// The arithmetic that a reduction repeats.
ir::op step_of(ir::op code) {
    switch (code) {
        case ir::op::subgroup_mul: return ir::op::mul;
        case ir::op::subgroup_min: return ir::op::min;
        case ir::op::subgroup_max: return ir::op::max;
        case ir::op::subgroup_and: return ir::op::bit_and;
        case ir::op::subgroup_or: return ir::op::bit_or;
        case ir::op::subgroup_xor: return ir::op::bit_xor;
        default: return ir::op::add;
    }
}

}  // namespace

/// Halves the vector until one lane is left; sums and products of floats go in the order of the lanes unless fast.
llvm::Value* emitter::reduce(ir::op code, ir::scalar_kind k, llvm::Value* v) {
    const ir::op step = step_of(code);
    const bool is_float = ir::is_float(k);
    const auto apply = [&](llvm::Value* a, llvm::Value* b) { return is_float ? binary_float(step, a, b) : binary_integer(step, k, a, b); };
    llvm::Type* scalar = v->getType()->getScalarType();
    llvm::Value* neutral = nullptr;  // what lanes that are off contribute
    switch (step) {
        case ir::op::add: neutral = is_float ? llvm::ConstantFP::getNegativeZero(scalar) : llvm::Constant::getNullValue(scalar); break;
        case ir::op::bit_or: case ir::op::bit_xor: neutral = llvm::Constant::getNullValue(scalar); break;
        case ir::op::mul: neutral = is_float ? llvm::ConstantFP::get(scalar, 1.0) : llvm::ConstantInt::get(scalar, 1); break;
        case ir::op::bit_and: neutral = llvm::Constant::getAllOnesValue(scalar); break;
        default: neutral = mask() ? lane(v, first_lane(mask())) : nullptr; break;  // min, max: any lane that is on
    }
    if (mask()) v = b_.CreateSelect(mask(), v, splat(neutral));
    const bool ordered = is_float && (step == ir::op::add || step == ir::op::mul) && module_.math != ir::math_mode::fast;
    if (ordered) {
        llvm::Value* sum = b_.CreateExtractElement(v, std::uint64_t{0});
        for (std::uint32_t i = 1; i < lanes_; ++i) sum = apply(sum, b_.CreateExtractElement(v, i));
        return sum;
    }
    for (std::uint32_t half = lanes_ / 2; half != 0; half /= 2) {
        llvm::SmallVector<int, 8> low, high;
        for (std::uint32_t i = 0; i < half; ++i) low.push_back(static_cast<int>(i)), high.push_back(static_cast<int>(i + half));
        v = apply(b_.CreateShuffleVector(v, low), b_.CreateShuffleVector(v, high));
    }
    return b_.CreateExtractElement(v, std::uint64_t{0});
}

/// Sums of the lanes up to each (inclusive) or before each (exclusive).
llvm::Value* emitter::scan(ir::op code, ir::scalar_kind k, llvm::Value* v) {
    llvm::Type* type = v->getType();
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    const bool inclusive = code == ir::op::subgroup_inclusive_add;
    if (ir::is_float(k)) {
        // in the order of the lanes; -0 is what changes no sum
        llvm::Value* sum = llvm::ConstantFP::getNegativeZero(type->getScalarType());
        if (mask()) v = b_.CreateSelect(mask(), v, splat(sum));
        llvm::Value *all = zero, *begun = b_.getFalse();
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            llvm::Value* next = b_.CreateFAdd(sum, b_.CreateExtractElement(v, i));
            // before the first lane that is on, the sum is +0
            llvm::Value* before = inclusive ? next : b_.CreateSelect(begun, sum, zero->getAggregateElement(i));
            all = b_.CreateInsertElement(all, before, i);
            begun = b_.CreateOr(begun, mask() ? b_.CreateExtractElement(mask(), i) : b_.getTrue());
            sum = next;
        }
        return all;
    }
    if (mask()) v = b_.CreateSelect(mask(), v, zero);
    const auto shift_up = [&](llvm::Value* x, std::uint32_t by) {
        llvm::SmallVector<int, 16> from;
        for (std::uint32_t i = 0; i < lanes_; ++i) from.push_back(static_cast<int>(i < by ? lanes_ : i - by));
        return b_.CreateShuffleVector(x, zero, from);
    };
    for (std::uint32_t by = 1; by < lanes_; by *= 2) v = b_.CreateAdd(v, shift_up(v, by));
    return inclusive ? v : shift_up(v, 1);
}

/// Lane i reads the lane that `select` names relative to it; lanes that do not exist read some lane.
llvm::Value* emitter::shuffle(ir::op code, llvm::Value* v, const lane_value& select) {
    const auto source = [&](std::uint64_t i, std::uint64_t n) {
        switch (code) {
            case ir::op::subgroup_shuffle_xor: return i ^ n;
            case ir::op::subgroup_shuffle_up: return i - n;
            case ir::op::subgroup_shuffle_down: return i + n;
            default: return n;
        }
    };
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(select.value); constant && select.is_uniform()) {
        llvm::SmallVector<int, 16> from;
        for (std::uint32_t i = 0; i < lanes_; ++i) {
            const std::uint64_t s = source(i, constant->getZExtValue());
            from.push_back(static_cast<int>(s < lanes_ ? s : i));
        }
        return b_.CreateShuffleVector(v, from);
    }
    llvm::Value* n = vector(select);
    llvm::Value* own = lane_numbers(n->getType()->getScalarType(), 1);
    switch (code) {
        case ir::op::subgroup_shuffle_xor: n = b_.CreateXor(own, n); break;
        case ir::op::subgroup_shuffle_up: n = b_.CreateSub(own, n); break;
        case ir::op::subgroup_shuffle_down: n = b_.CreateAdd(own, n); break;
        default: break;  // names the lane itself
    }
    n = b_.CreateAnd(n, llvm::ConstantInt::get(n->getType(), lanes_ - 1));
    llvm::Value* all = llvm::PoisonValue::get(v->getType());
    for (std::uint32_t i = 0; i < lanes_; ++i) all = b_.CreateInsertElement(all, lane(v, b_.CreateExtractElement(n, i)), i);
    return all;
}

lane_value emitter::subgroup_step(ir::op code, ir::scalar_kind k, llvm::Value* v, const lane_value* select) {
    using ir::op;
    switch (code) {
        case op::subgroup_inclusive_add: case op::subgroup_exclusive_add: return lane_value::varying(scan(code, k, v));
        case op::subgroup_broadcast:
            if (select->is_uniform())
                return lane_value::uniform(lane(v, b_.CreateAnd(select->value, llvm::ConstantInt::get(select->value->getType(), lanes_ - 1))));
            return lane_value::varying(shuffle(op::subgroup_shuffle, v, *select));
        case op::subgroup_shuffle: case op::subgroup_shuffle_xor: case op::subgroup_shuffle_up: case op::subgroup_shuffle_down:
            return lane_value::varying(shuffle(code, v, *select));
        default: return lane_value::uniform(reduce(code, k, v));
    }
}

components emitter::emit_subgroup(ir::value_id v, std::span<const components> operands) {
    const ir::op code = module_[v].op;
    if (code == ir::op::subgroup_any) return {lane_value::uniform(any(and_mask(vector(operands[0][0]))))};
    if (code == ir::op::subgroup_all) return {lane_value::uniform(b_.CreateNot(any(and_mask(b_.CreateNot(vector(operands[0][0]))))))};
    if (code == ir::op::subgroup_ballot) {
        llvm::Value* bits = b_.CreateZExt(mask_bits(and_mask(vector(operands[0][0]))), b_.getInt32Ty());
        components all{lane_value::uniform(bits)};
        for (int i = 1; i < 4; ++i) all.push_back(lane_value::uniform(b_.getInt32(0)));
        return all;
    }
    const ir::scalar_kind k = scalar_of(v);
    const bool half = k == ir::scalar_kind::f16 || k == ir::scalar_kind::bf16;
    const lane_value* select = operands.size() > 1 ? &operands[1][0] : nullptr;
    components all;
    for (const lane_value& each : operands[0]) {
        // arithmetic on halves is done in float; what only moves lanes is not touched by that
        llvm::Value* x = vector(each);
        lane_value r = subgroup_step(code, half ? ir::scalar_kind::f32 : k, half ? widen_half(x, k) : x, select);
        if (half) r.value = narrow_to_half(r.value, k);
        all.push_back(r);
    }
    return all;
}

}  // namespace quern::cpu::codegen
