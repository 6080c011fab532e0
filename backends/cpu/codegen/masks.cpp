// Masks: which lanes of a vector are on. A mask that is absent means all.
#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

llvm::Value* emitter::mask_bits(llvm::Value* mask) { return b_.CreateBitCast(mask, b_.getIntNTy(lanes_)); }

llvm::Value* emitter::any(llvm::Value* mask) {
    return b_.CreateICmpNE(mask_bits(mask), llvm::ConstantInt::get(b_.getIntNTy(lanes_), 0));
}

llvm::Value* emitter::first_lane(llvm::Value* mask) {
    if (mask == prefix_mask_) return b_.getInt32(0);
    return b_.CreateZExt(intrinsic(llvm::Intrinsic::cttz, {mask_bits(mask), b_.getTrue()}), b_.getInt32Ty());
}

llvm::Value* emitter::last_lane(llvm::Value* mask) {
    llvm::Value* leading = b_.CreateZExt(intrinsic(llvm::Intrinsic::ctlz, {mask_bits(mask), b_.getTrue()}), b_.getInt32Ty());
    return b_.CreateSub(b_.getInt32(lanes_ - 1), leading);
}

void emitter::remove_lanes(llvm::AllocaInst* from, llvm::Value* lanes) {
    b_.CreateStore(b_.CreateAnd(b_.CreateLoad(mask_type(), from), b_.CreateNot(lanes)), from);
}

/// After lanes left: goes on with those that stay, past the rest of the block if there are none.
void emitter::keep_what_is_on(llvm::BasicBlock*& skip) {
    llvm::AllocaInst* active = not_returned_;
    for (const frame& f : frames_)
        if (f.active) active = f.active;
    mask_ = and_mask(b_.CreateLoad(mask_type(), active));
    if (!skip) skip = new_block("skip");
    llvm::BasicBlock* rest = new_block("rest");
    b_.CreateCondBr(any(mask_), rest, skip);
    continue_in(rest);
}

}  // namespace quern::cpu::codegen
