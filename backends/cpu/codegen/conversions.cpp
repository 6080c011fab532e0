// Conversions between scalar kinds, and between a half's bits and float.
#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

llvm::Type* emitter::like(llvm::Value* v, llvm::Type* scalar) const {
    const auto* t = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
    return t ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(scalar, t->getNumElements())) : scalar;
}

llvm::Value* emitter::widen_half(llvm::Value* v, ir::scalar_kind k) {
    if (k == ir::scalar_kind::f16) return b_.CreateFPExt(v, like(v, b_.getFloatTy()));
    llvm::Value* bits = b_.CreateShl(b_.CreateZExt(v, like(v, b_.getInt32Ty())), 16);
    return b_.CreateBitCast(bits, like(v, b_.getFloatTy()));
}

llvm::Value* emitter::narrow_to_half(llvm::Value* v, ir::scalar_kind k) {
    if (k == ir::scalar_kind::f16) return b_.CreateFPTrunc(v, like(v, b_.getHalfTy()));
    llvm::Type* type = like(v, b_.getInt32Ty());
    const auto constant = [&](std::uint64_t n) { return llvm::ConstantInt::get(type, n); };
    llvm::Value* bits = b_.CreateBitCast(v, type);
    llvm::Value* odd = b_.CreateAnd(b_.CreateLShr(bits, 16), constant(1));
    llvm::Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(odd, constant(0x7fff)));  // nearest, ties to even
    llvm::Value* quiet = b_.CreateOr(bits, constant(0x0040'0000));
    bits = b_.CreateSelect(b_.CreateFCmpUNO(v, v), quiet, rounded);
    return b_.CreateTrunc(b_.CreateLShr(bits, 16), like(v, b_.getInt16Ty()));
}

llvm::Value* emitter::convert(llvm::Value* v, ir::scalar_kind from, ir::scalar_kind to) {
    using kind = ir::scalar_kind;
    if (from == to) return v;
    if (from == kind::f16 || from == kind::bf16) return convert(widen_half(v, from), kind::f32, to);
    llvm::Type* type = like(v, register_type(to));
    const bool from_float = ir::is_float(from), from_signed = ir::is_signed_integer(from);
    if (to == kind::boolean) {
        llvm::Value* zero = llvm::Constant::getNullValue(v->getType());
        return from_float ? b_.CreateFCmpUNE(v, zero) : b_.CreateICmpNE(v, zero);
    }
    if (to == kind::f16 || to == kind::bf16) {
        // a wider source is rounded to odd first, so that the second rounding does not see the first one
        llvm::Value* f = convert(v, from, kind::f32);
        if (ir::bit_width(from) > 16 && from != kind::f32) {
            llvm::Type* bits = like(v, b_.getInt32Ty());
            llvm::Value* back = convert(f, kind::f32, kind::f64);
            llvm::Value* exact = from == kind::f64 ? v : convert(v, from, kind::f64);
            const auto magnitude = [&](llvm::Value* x) { return intrinsic(llvm::Intrinsic::fabs, {x}); };
            llvm::Value* raw = b_.CreateBitCast(f, bits);
            llvm::Value* above = b_.CreateZExt(b_.CreateFCmpOGT(magnitude(back), magnitude(exact)), bits);
            llvm::Value* inexact = b_.CreateZExt(b_.CreateFCmpONE(back, exact), bits);
            f = b_.CreateBitCast(b_.CreateOr(b_.CreateSub(raw, above), inexact), f->getType());
        }
        return narrow_to_half(f, to);
    }
    if (ir::is_float(to)) {
        if (from_float) return b_.CreateFPCast(v, type);
        return from_signed ? b_.CreateSIToFP(v, type) : b_.CreateUIToFP(v, type);
    }
    if (from_float)
        return b_.CreateIntrinsic(ir::is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                  {type, v->getType()}, {v});
    return b_.CreateIntCast(v, type, from_signed);
}

components emitter::emit_cast(ir::value_id v, std::span<const components> operands) {
    const ir::scalar_kind from = scalar_of(module_.operands_of(v)[0]), to = scalar_of(v);
    const bool same_bits = ir::is_integer(from) && ir::is_integer(to) && ir::bit_width(from) >= ir::bit_width(to);
    components all;
    for (const lane_value& each : operands[0]) {
        if (each.shape == shape::affine && same_bits) {
            // counting by lane survives where no bit is added; the order of lanes only where none is lost either
            lane_value r = lane_value::affine(convert(each.value, from, to), each.stride);
            r.ordered = each.ordered && ir::bit_width(from) == ir::bit_width(to) && ir::is_signed_integer(from) == ir::is_signed_integer(to);
            all.push_back(r);
        } else if (each.is_uniform()) {
            all.push_back(lane_value::uniform(convert(each.value, from, to)));
        } else {
            lane_value r = lane_value::varying(convert(vector(each), from, to));
            if (each.likely && same_bits) r.likely = convert(each.likely, from, to), r.counts = each.counts, r.stride = each.stride;
            all.push_back(r);
        }
    }
    return all;
}

components emitter::emit_bit_cast(ir::value_id v, std::span<const components> operands) {
    const ir::scalar_kind from = scalar_of(module_.operands_of(v)[0]), to = scalar_of(v);
    const unsigned from_width = ir::bit_width(from), to_width = ir::bit_width(to);
    const auto cast = [&](llvm::Value* x, llvm::Type* scalar) { return b_.CreateBitCast(x, like(x, scalar)); };
    components all;
    if (from_width == to_width) {
        for (const lane_value& each : operands[0]) {
            lane_value r = each;
            if (each.shape == shape::varying || (each.shape == shape::affine && !ir::is_integer(to))) r = lane_value::varying(vector(each));
            r.value = cast(r.value, register_type(to));
            r.ordered = false;
            all.push_back(r);
        }
        return all;
    }
    bool uniform = true;
    for (const lane_value& each : operands[0]) uniform = uniform && each.is_uniform();
    const auto add = [&](llvm::Value* x) {
        x = cast(x, register_type(to));
        all.push_back(uniform ? lane_value::uniform(x) : lane_value::varying(x));
    };
    llvm::Value* joined = nullptr;
    unsigned have = 0;
    for (const lane_value& each : operands[0]) {
        llvm::Value* bits = cast(uniform ? each.value : vector(each), b_.getIntNTy(from_width));
        if (from_width > to_width) {
            for (unsigned shift = 0; shift < from_width; shift += to_width)
                add(b_.CreateTrunc(b_.CreateLShr(bits, shift), like(bits, b_.getIntNTy(to_width))));
            continue;
        }
        bits = b_.CreateShl(b_.CreateZExt(bits, like(bits, b_.getIntNTy(to_width))), have);
        joined = have ? b_.CreateOr(joined, bits) : bits;
        have += from_width;
        if (have == to_width) add(joined), have = 0;
    }
    return all;
}

}  // namespace quern::cpu::codegen
