// Relaxed atomics: native on integers, floats natively where that is exact, else by compare-exchange on their bits.
#include "backends/spirv/emitter.hpp"

namespace quern::spirv {
namespace {

spv::Op opcode_of(ir::op code, ir::scalar_kind k) {
    const bool is_signed = ir::is_signed_integer(k);
    switch (code) {
        case ir::op::atomic_load: return spv::OpAtomicLoad;
        case ir::op::atomic_store: return spv::OpAtomicStore;
        case ir::op::atomic_add: return ir::is_float(k) ? spv::OpAtomicFAddEXT : spv::OpAtomicIAdd;
        case ir::op::atomic_sub: return spv::OpAtomicISub;
        case ir::op::atomic_min: return is_signed ? spv::OpAtomicSMin : spv::OpAtomicUMin;
        case ir::op::atomic_max: return is_signed ? spv::OpAtomicSMax : spv::OpAtomicUMax;
        case ir::op::atomic_and: return spv::OpAtomicAnd;
        case ir::op::atomic_or: return spv::OpAtomicOr;
        case ir::op::atomic_xor: return spv::OpAtomicXor;
        case ir::op::atomic_exchange: return spv::OpAtomicExchange;
        case ir::op::atomic_compare_exchange: return spv::OpAtomicCompareExchange;
        default: return spv::OpNop;
    }
}

/// What a compare-exchange loop computes from the old value and the operand; constant where nothing is computed.
ir::op combination_of(ir::op code) {
    if (code == ir::op::atomic_add) return ir::op::add;
    if (code == ir::op::atomic_sub) return ir::op::sub;
    if (code == ir::op::atomic_min) return ir::op::min;
    if (code == ir::op::atomic_max) return ir::op::max;
    return ir::op::constant;
}

}  // namespace

id emitter::atomic(ir::value_id v) {
    const ir::op code = m_[v].op;
    const pointer at = resolve(m_.place_of(v));
    const ir::scalar_kind k = m_[at.type].scalar;
    const std::uint32_t width = ir::bit_width(k);
    if (width == 64) code_.require(spv::CapabilityInt64Atomics);
    const bool as_bits = at.form == representation::bits && ir::is_float(k);
    const id type = as_bits ? integer_type(width) : scalar_type(k);
    const id whole = native_type(at.type);
    const id scope = u32(f_.memory_model ? spv::ScopeQueueFamily : spv::ScopeDevice), relaxed = u32(spv::MemorySemanticsMaskNone);
    const auto given = [&](std::size_t i) {
        const id x = operand(v, i);
        return as_bits ? compute(spv::OpBitcast, type, {x}) : x;
    };
    const auto result = [&](id x) { return as_bits ? compute(spv::OpBitcast, whole, {x}) : x; };

    if (code == ir::op::atomic_store) {
        act(spv::OpAtomicStore, {at.address, scope, relaxed, given(0)});
        return 0;
    }
    if (code == ir::op::atomic_load) return result(compute(spv::OpAtomicLoad, type, {at.address, scope, relaxed}));
    if (code == ir::op::atomic_compare_exchange)  // ours: expected, desired; SPIR-V's: desired, expected
        return result(compute(spv::OpAtomicCompareExchange, type, {at.address, scope, relaxed, relaxed, given(1), given(0)}));
    if (as_bits && code != ir::op::atomic_exchange) return atomic_by_exchange(v, at, operand(v, 0));
    if (ir::is_float(k)) code_.require(spv::CapabilityAtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add");
    return result(compute(opcode_of(code, k), type, {at.address, scope, relaxed, given(0)}));
}

/// for (;;) { old = expected; seen = compare_exchange(place, old, old op x); if (seen == old) break; expected = seen; }
id emitter::atomic_by_exchange(ir::value_id v, const pointer& at, id x) {
    const ir::scalar_kind k = m_[at.type].scalar;
    const id bits = integer_type(ir::bit_width(k)), real = scalar_type(k);
    const id scope = u32(f_.memory_model ? spv::ScopeQueueFamily : spv::ScopeDevice), relaxed = u32(spv::MemorySemanticsMaskNone);
    const id first = compute(spv::OpAtomicLoad, bits, {at.address, scope, relaxed});
    const id before = current_label_, header = code_.next_id(), body = code_.next_id(), next = code_.next_id(), merge = code_.next_id();
    const id expected = code_.next_id(), seen = code_.next_id();
    act(spv::OpBranch, {header});
    begin_block(header);
    act(spv::OpPhi, {bits, expected, first, before, seen, next});
    act(spv::OpLoopMerge, {merge, next, spv::LoopControlMaskNone});
    act(spv::OpBranch, {body});
    begin_block(body);
    const id old = compute(spv::OpBitcast, real, {expected});
    const id combined = combine(combination_of(m_[v].op), k, real, old, x);
    const id wanted = compute(spv::OpBitcast, bits, {combined});
    act(spv::OpAtomicCompareExchange, {bits, seen, at.address, scope, relaxed, relaxed, wanted, expected});
    const id done = compute(spv::OpIEqual, bool_type(), {seen, expected});
    act(spv::OpBranchConditional, {done, merge, next});
    begin_block(next);
    act(spv::OpBranch, {header});
    begin_block(merge);
    return old;
}

id emitter::combine(ir::op code, ir::scalar_kind k, id type, id a, id b) {
    if (code == ir::op::add) return float_math(spv::OpFAdd, type, {a, b});
    if (code == ir::op::sub) return float_math(spv::OpFSub, type, {a, b});
    return extreme_of(k, 1, a, b, code == ir::op::min);
}

}  // namespace quern::spirv
