// Atomics: lane by lane over the lanes that are on. Shared memory belongs to the one thread that runs the workgroup,
// so its atomics are plain reads and writes.
#include <llvm/IR/Constants.h>

#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {
namespace {

constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;

/// The subgroup reduction that does the work of a whole vector at once, or the op itself where there is none.
ir::op reduction_of(ir::op code) {
    switch (code) {
        case ir::op::atomic_add: case ir::op::atomic_sub: return ir::op::subgroup_add;
        case ir::op::atomic_and: return ir::op::subgroup_and;
        case ir::op::atomic_or: return ir::op::subgroup_or;
        case ir::op::atomic_xor: return ir::op::subgroup_xor;
        case ir::op::atomic_min: return ir::op::subgroup_min;
        case ir::op::atomic_max: return ir::op::subgroup_max;
        default: return code;
    }
}

}  // namespace

void emitter::for_each_lane(llvm::Value* mask, const std::function<void(llvm::Value*)>& body) {
    llvm::Type* type = b_.getIntNTy(lanes_);
    llvm::Value* bits = mask_bits(mask);
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block("lane"), *end = new_block("endlane");
    b_.CreateBr(loop);
    continue_in(loop);
    llvm::PHINode* left = b_.CreatePHI(type, 2);
    left->addIncoming(bits, before);
    body(b_.CreateZExt(intrinsic(llvm::Intrinsic::cttz, {left, b_.getTrue()}), b_.getInt32Ty()));
    llvm::Value* next = b_.CreateAnd(left, b_.CreateSub(left, llvm::ConstantInt::get(type, 1)));
    left->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpNE(next, llvm::ConstantInt::get(type, 0)), loop, end);
    continue_in(end);
}

/// The value to store over `old`.
llvm::Value* emitter::combine(ir::op code, ir::scalar_kind k, llvm::Value* old, std::span<llvm::Value* const> in) {
    const auto arithmetic = [&](ir::op plain) {
        return ir::is_float(k) ? binary_float(plain, old, in[0]) : binary_integer(plain, k, old, in[0]);
    };
    switch (code) {
        case ir::op::atomic_add: return arithmetic(ir::op::add);
        case ir::op::atomic_sub: return arithmetic(ir::op::sub);
        case ir::op::atomic_min: return arithmetic(ir::op::min);
        case ir::op::atomic_max: return arithmetic(ir::op::max);
        case ir::op::atomic_and: return arithmetic(ir::op::bit_and);
        case ir::op::atomic_or: return arithmetic(ir::op::bit_or);
        case ir::op::atomic_xor: return arithmetic(ir::op::bit_xor);
        case ir::op::atomic_exchange: case ir::op::atomic_store: return in[0];
        case ir::op::atomic_compare_exchange: {
            llvm::Type* bits = b_.getIntNTy(ir::bit_width(k));
            llvm::Value* same = b_.CreateICmpEQ(b_.CreateBitCast(old, bits), b_.CreateBitCast(in[0], bits));
            return b_.CreateSelect(same, in[1], old);
        }
        default: refuse(module_, std::string(ir::info(code).name) + " changes no memory");
    }
}

/// One lane's atomic; returns the old value.
llvm::Value* emitter::atomic_step(ir::op code, ir::scalar_kind k, sharing s, llvm::Value* pointer,
                                  std::span<llvm::Value* const> in) {
    using rmw = llvm::AtomicRMWInst;
    llvm::Type* type = register_type(k);
    const llvm::Align alignment(ir::size_bytes(k));
    const bool is_float = ir::is_float(k), is_signed = ir::is_signed_integer(k);
    if (s == sharing::thread || code == ir::op::atomic_load) {
        llvm::LoadInst* old = in_scope(b_.CreateAlignedLoad(type, pointer, alignment));
        if (s == sharing::device) old->setAtomic(relaxed);
        if (code != ir::op::atomic_load) mark_scope(b_.CreateAlignedStore(combine(code, k, old, in), pointer, alignment));
        return old;
    }
    if (code == ir::op::atomic_store) {
        llvm::StoreInst* store = in_scope(b_.CreateAlignedStore(in[0], pointer, alignment));
        store->setAtomic(relaxed);
        return in[0];
    }
    if (code == ir::op::atomic_compare_exchange) {
        llvm::Type* bits = b_.getIntNTy(ir::bit_width(k));
        auto* exchange = in_scope(b_.CreateAtomicCmpXchg(pointer, b_.CreateBitCast(in[0], bits), b_.CreateBitCast(in[1], bits),
                                                         alignment, relaxed, relaxed));
        return b_.CreateBitCast(b_.CreateExtractValue(exchange, 0), type);
    }
    std::optional<rmw::BinOp> native;
    switch (code) {
        case ir::op::atomic_add: native = is_float ? rmw::FAdd : rmw::Add; break;
        case ir::op::atomic_sub: native = is_float ? rmw::FSub : rmw::Sub; break;
        case ir::op::atomic_and: native = rmw::And; break;
        case ir::op::atomic_or: native = rmw::Or; break;
        case ir::op::atomic_xor: native = rmw::Xor; break;
        case ir::op::atomic_exchange: native = rmw::Xchg; break;
        case ir::op::atomic_min: if (!is_float) native = is_signed ? rmw::Min : rmw::UMin; break;
        case ir::op::atomic_max: if (!is_float) native = is_signed ? rmw::Max : rmw::UMax; break;
        default: break;  // the loop below serves them
    }
    if (native) return in_scope(b_.CreateAtomicRMW(*native, pointer, in[0], alignment, relaxed));

    llvm::Type* bits = b_.getIntNTy(ir::bit_width(k));
    llvm::LoadInst* start = in_scope(b_.CreateAlignedLoad(bits, pointer, alignment));
    start->setAtomic(relaxed);
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = new_block("retry"), *end = new_block("stored");
    b_.CreateBr(loop);
    continue_in(loop);
    llvm::PHINode* seen = b_.CreatePHI(bits, 2);
    seen->addIncoming(start, before);
    llvm::Value* old = b_.CreateBitCast(seen, type);
    llvm::Value* wanted = b_.CreateBitCast(combine(code, k, old, in), bits);
    auto* exchange = in_scope(b_.CreateAtomicCmpXchg(pointer, seen, wanted, alignment, relaxed, relaxed));
    seen->addIncoming(b_.CreateExtractValue(exchange, 0), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), end, loop);
    continue_in(end);
    return old;
}

components emitter::emit_atomic(ir::value_id v, std::span<const components> operands) {
    if (pack_agrees(v)) return atomic_of_lanes(v, operands);
    return unless_off([&] { return atomic_of_lanes(v, operands); });
}

components emitter::atomic_of_lanes(ir::value_id v, std::span<const components> operands) {
    const ir::place_id p = module_.place_of(v);
    const ir::op code = module_[v].op;
    const ir::scalar_kind k = module_[module_[p].type].scalar;
    const layout& l = layout_of(p);
    const bool device = module_[p].root == ir::root_kind::parameter;
    const sharing s = device ? sharing::device : sharing::thread;
    const address a = address_of(p);
    const std::size_t root = accessed_root_;
    const bool one_place = a.shape == shape::uniform && l.is_host();

    if (one_place && code == ir::op::atomic_load)
        return {lane_value::uniform(atomic_step(code, k, s, leaf_pointer(a, 0), {}))};
    if (one_place && use_counts_[v.number] == 0 && ir::is_integer(k) && reduction_of(code) != code) {
        llvm::Value* all = reduce(reduction_of(code), k, vector(operands[0][0]));
        return {lane_value::uniform(atomic_step(code, k, s, leaf_pointer(a, 0), {&all, 1}))};
    }

    llvm::SmallVector<llvm::Value*, 2> in;
    for (const components& o : operands) in.push_back(vector(o[0]));
    llvm::Value* pointers = one_place ? nullptr : lane_pointers(a.offsets || a.lane_stride ? a : address{a.base, shape::affine, 0, nullptr, a.within, 0}, 0, l, k);
    llvm::AllocaInst* result = allocate(vector_of(register_type(k)), "old");
    b_.CreateStore(llvm::Constant::getNullValue(vector_of(register_type(k))), result);
    for_each_lane(mask_or_all(), [&](llvm::Value* i) {
        accessed_root_ = root;
        llvm::SmallVector<llvm::Value*, 2> each;
        for (llvm::Value* x : in) each.push_back(lane(x, i));
        llvm::Value* old = atomic_step(code, k, s, one_place ? leaf_pointer(a, 0) : lane(pointers, i), each);
        b_.CreateStore(old, b_.CreateGEP(register_type(k), result, i));
    });
    return {lane_value::varying(b_.CreateLoad(vector_of(register_type(k)), result))};
}

}  // namespace quern::cpu::codegen
