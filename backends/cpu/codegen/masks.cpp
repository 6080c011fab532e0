// Masks: which lanes are on, of each of the vectors in flight. A mask that is absent means all.
#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

emitter::masks emitter::all_masks() const {
    masks all;
    for (std::uint32_t i = 0; i < in_flight_; ++i) all.push_back(vectors_[i].mask);
    return all;
}

void emitter::set_masks(const masks& m) {
    for (std::uint32_t i = 0; i < in_flight_; ++i) vectors_[i].mask = m[i];
}

llvm::Value* emitter::mask_bits(llvm::Value* mask) { return b_.CreateBitCast(mask, b_.getIntNTy(lanes_)); }

llvm::Value* emitter::any(llvm::Value* mask) {
    return b_.CreateICmpNE(mask_bits(mask), llvm::ConstantInt::get(b_.getIntNTy(lanes_), 0));
}

llvm::Value* emitter::any(const masks& m) {
    llvm::Value* all = m[0];
    for (std::size_t i = 1; i < m.size(); ++i) all = b_.CreateOr(all, m[i]);
    return any(all);
}

llvm::Value* emitter::first_lane(llvm::Value* mask) {
    if (mask == prefix_mask_) return b_.getInt32(0);
    return b_.CreateZExt(intrinsic(llvm::Intrinsic::cttz, {mask_bits(mask), b_.getInt1(in_flight_ == 1)}), b_.getInt32Ty());
}

llvm::Value* emitter::last_lane(llvm::Value* mask) {
    llvm::Value* leading = b_.CreateZExt(intrinsic(llvm::Intrinsic::ctlz, {mask_bits(mask), b_.getInt1(in_flight_ == 1)}), b_.getInt32Ty());
    return b_.CreateSub(b_.getInt32(lanes_ - 1), leading);
}

void emitter::remove_lanes(llvm::AllocaInst* from, llvm::Value* lanes) {
    b_.CreateStore(b_.CreateAnd(b_.CreateLoad(mask_type(), from), b_.CreateNot(lanes)), from);
}

/// After lanes left: goes on with those that stay, past the rest of the block if there are none.
void emitter::keep_what_is_on(llvm::BasicBlock*& skip) {
    each_vector([&] {
        llvm::AllocaInst* active = here().not_returned;
        for (const frame& f : frames_)
            if (f.masked()) active = f.active[current_];
        mask() = and_mask(b_.CreateLoad(mask_type(), active));
    });
    if (!skip) skip = new_block("skip");
    llvm::BasicBlock* rest = new_block("rest");
    b_.CreateCondBr(any(all_masks()), rest, skip);
    continue_in(rest);
}

llvm::Value* emitter::readable_where_off(llvm::Value* pointer, llvm::Value* harmless) {
    return may_be_off() ? b_.CreateSelect(any(mask()), pointer, harmless) : pointer;
}

llvm::Value* emitter::writable_where_off(llvm::Value* pointer) {
    if (!may_be_off()) return pointer;
    if (!sink_) sink_ = allocate(b_.getInt64Ty(), "sink");
    return b_.CreateSelect(any(mask()), pointer, sink_);
}

components emitter::unless_off(const std::function<components()>& body) {
    if (!may_be_off()) return body();
    llvm::BasicBlock *on = new_block("on"), *end = new_block("endon"), *before = b_.GetInsertBlock();
    b_.CreateCondBr(any(mask()), on, end);
    continue_in(on);
    components all = body();
    llvm::BasicBlock* after = b_.GetInsertBlock();
    b_.CreateBr(end);
    continue_in(end);
    for (lane_value& each : all) {
        llvm::PHINode* joined = b_.CreatePHI(each.value->getType(), 2);
        joined->addIncoming(llvm::Constant::getNullValue(each.value->getType()), before);
        joined->addIncoming(each.value, after);
        each.value = joined;
    }
    return all;
}

}  // namespace quern::cpu::codegen
