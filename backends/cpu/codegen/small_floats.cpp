// half and bfloat16 where computing in float and rounding the result would not be rounding once.
#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

/// a * b + c rounded once. The product is exact in double; the sum is rounded to odd there (Boldo and Melquiond, "Emulation
/// of FMA and correctly rounded sums"), from where rounding to 16 bits is correct.
llvm::Value* emitter::fused_small(ir::scalar_kind k, std::span<llvm::Value* const> in) {
    llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
    b_.setFastMathFlags({});
    llvm::Value* wide[3];
    for (std::size_t i = 0; i < 3; ++i) wide[i] = convert(in[i], k, ir::scalar_kind::f64);
    llvm::Value *product = b_.CreateFMul(wide[0], wide[1]), *addend = wide[2];
    llvm::Value* sum = b_.CreateFAdd(product, addend);
    llvm::Value* back = b_.CreateFSub(sum, product);
    llvm::Value* lost = b_.CreateFAdd(b_.CreateFSub(product, b_.CreateFSub(sum, back)), b_.CreateFSub(addend, back));
    llvm::Type* bits_type = like(sum, b_.getInt64Ty());
    llvm::Value *bits = b_.CreateBitCast(sum, bits_type), *zero = llvm::Constant::getNullValue(sum->getType());
    llvm::Value* one = llvm::ConstantInt::get(bits_type, 1);
    // NaN, which an infinite sum loses, is not unequal to 0 here
    llvm::Value* even_and_inexact = b_.CreateAnd(b_.CreateFCmpONE(lost, zero),
                                                 b_.CreateICmpEQ(b_.CreateAnd(bits, one), llvm::Constant::getNullValue(bits_type)));
    llvm::Value* outwards = b_.CreateICmpEQ(b_.CreateFCmpOGT(lost, zero), b_.CreateFCmpOGT(sum, zero));
    llvm::Value* odd = b_.CreateSelect(outwards, b_.CreateAdd(bits, one), b_.CreateSub(bits, one));
    sum = b_.CreateBitCast(b_.CreateSelect(even_and_inexact, odd, bits), sum->getType());
    return convert(sum, ir::scalar_kind::f64, k);
}

/// The next number from a towards b: one step of the bits, which count magnitudes.
llvm::Value* emitter::next_small(ir::scalar_kind k, llvm::Value* a, llvm::Value* b) {
    llvm::Type* type = like(a, b_.getInt16Ty());
    const auto constant = [&](std::uint64_t n) { return llvm::ConstantInt::get(type, n); };
    llvm::Value *bits = b_.CreateBitCast(a, type), *target = b_.CreateBitCast(b, type);
    llvm::Value *x = widen_half(a, k), *y = widen_half(b, k), *zero = llvm::Constant::getNullValue(x->getType());
    llvm::Value* outwards = b_.CreateICmpEQ(b_.CreateFCmpOLT(x, y), b_.CreateFCmpOGT(x, zero));
    llvm::Value* r = b_.CreateSelect(outwards, b_.CreateAdd(bits, constant(1)), b_.CreateSub(bits, constant(1)));
    r = b_.CreateSelect(b_.CreateFCmpOEQ(x, zero), b_.CreateOr(b_.CreateAnd(target, constant(0x8000)), constant(1)), r);
    r = b_.CreateSelect(b_.CreateFCmpOEQ(x, y), target, r);
    const std::uint64_t nan = k == ir::scalar_kind::f16 ? 0x7e00 : 0x7fc0;
    r = b_.CreateSelect(b_.CreateFCmpUNO(x, y), constant(nan), r);
    return b_.CreateBitCast(r, a->getType());
}

}  // namespace quern::cpu::codegen
