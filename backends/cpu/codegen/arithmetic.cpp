// Arithmetic, bits and comparisons, op by op on scalars or vectors of one kind. Meaning: DESIGN, section 3.
#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {
namespace {

std::int64_t sign_extend(std::uint64_t n, unsigned width) {
    return static_cast<std::int64_t>(n << (64 - width)) >> (64 - width);
}

bool is_half(ir::scalar_kind k) { return k == ir::scalar_kind::f16 || k == ir::scalar_kind::bf16; }

}  // namespace

llvm::Value* emitter::intrinsic(llvm::Intrinsic::ID id, std::initializer_list<llvm::Value*> arguments) {
    return b_.CreateIntrinsic(id, {(*arguments.begin())->getType()}, llvm::ArrayRef<llvm::Value*>(arguments.begin(), arguments.size()));
}

components emitter::emit_elementwise(ir::value_id v, std::span<const components> operands) {
    components all;
    for (std::size_t i = 0; i < operands[0].size(); ++i) {
        llvm::SmallVector<lane_value, 3> each;
        for (const components& o : operands) each.push_back(o[i]);
        all.push_back(elementwise(module_[v].op, scalar_of(v), each));
    }
    return all;
}

/// Sums, differences and constant multiples of what counts up by lane count up by lane.
std::optional<lane_value> emitter::affine_arithmetic(ir::op code, ir::scalar_kind k, std::span<const lane_value> operands) {
    if (!ir::is_integer(k)) return std::nullopt;
    bool affine = false;
    for (const lane_value& o : operands) {
        if (o.shape == shape::varying) return std::nullopt;
        affine = affine || o.shape == shape::affine;
    }
    if (!affine) return std::nullopt;
    const lane_value &a = operands[0], &b = operands.back();
    const unsigned width = ir::bit_width(k);
    const auto make = [&](llvm::Value* base, std::uint64_t stride) { return lane_value::affine(base, sign_extend(stride, width)); };
    const auto ua = static_cast<std::uint64_t>(a.stride), ub = static_cast<std::uint64_t>(b.stride);
    if (code == ir::op::add) return make(b_.CreateAdd(a.value, b.value), ua + ub);
    if (code == ir::op::sub) return make(b_.CreateSub(a.value, b.value), ua - ub);
    if (code == ir::op::neg) return make(b_.CreateNeg(a.value), 0 - ua);
    if (code == ir::op::mul) {
        const lane_value &moving = a.is_uniform() ? b : a, &factor = a.is_uniform() ? a : b;
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(factor.value);
        if (!factor.is_uniform() || !constant) return std::nullopt;
        return make(b_.CreateMul(moving.value, factor.value), static_cast<std::uint64_t>(moving.stride) * constant->getZExtValue());
    }
    if (code == ir::op::shl) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b.value);
        if (!b.is_uniform() || !constant) return std::nullopt;
        const std::uint64_t count = constant->getZExtValue() & (width - 1);
        return make(b_.CreateShl(a.value, count), ua << count);
    }
    return std::nullopt;
}

lane_value emitter::elementwise(ir::op code, ir::scalar_kind k, std::span<const lane_value> operands) {
    if (const auto affine = affine_arithmetic(code, k, operands)) return *affine;
    bool uniform = true;
    for (const lane_value& o : operands) uniform = uniform && o.is_uniform();
    llvm::SmallVector<llvm::Value*, 3> in;
    for (const lane_value& o : operands) in.push_back(uniform ? o.value : vector(o));
    if (is_half(k))
        for (llvm::Value*& each : in) each = widen_half(each, k);
    const ir::scalar_kind computed = is_half(k) ? ir::scalar_kind::f32 : k;
    llvm::Value* r = nullptr;
    if (in.size() == 1) r = unary(code, computed, in[0]);
    else if (ir::is_float(computed)) r = binary_float(code, in[0], in[1]);
    else r = binary_integer(code, computed, in[0], in[1]);
    if (is_half(k)) r = narrow_to_half(r, k);
    if (uniform) return lane_value::uniform(r);
    lane_value v = lane_value::varying(r);
    if (ir::is_integer(k) && operands.size() == 2) note_likely(code, k, operands, v);
    return v;
}

/// A bound that no lane reaches leaves numbers that count up by lane as they are; whether it is reached is one scalar
/// test. So the inside of an image that clamps its indices needs no gather.
void emitter::note_likely(ir::op code, ir::scalar_kind k, std::span<const lane_value> operands, lane_value& v) {
    const bool left = !operands[0].is_uniform();
    const lane_value &moving = operands[left ? 0 : 1], &other = operands[left ? 1 : 0];
    llvm::Value* base = moving.shape == shape::affine ? moving.value : moving.likely;
    if (!base || !other.is_uniform()) return;
    switch (code) {
        case ir::op::min: case ir::op::max: {
            constexpr std::int64_t longest_stride = 64;  // so that a vector wraps once at most
            if (moving.stride <= 0 || moving.stride > longest_stride || ir::bit_width(k) < 32) return;
            const auto ordered = [&](llvm::Value* a, llvm::Value* b) { return compare(ir::op::le, k, a, b); };
            llvm::Value* last = b_.CreateAdd(base, llvm::ConstantInt::get(base->getType(), static_cast<std::uint64_t>(moving.stride) * (lanes_ - 1)));
            llvm::Value* free = code == ir::op::max ? ordered(other.value, base) : ordered(last, other.value);
            v.counts = b_.CreateAnd(ordered(base, last), free);
            if (moving.counts) v.counts = b_.CreateAnd(moving.counts, v.counts);
            break;
        }
        case ir::op::add:
        case ir::op::sub:
            if (!left && code == ir::op::sub) return;
            v.counts = moving.counts;
            base = code == ir::op::add ? b_.CreateAdd(base, other.value) : b_.CreateSub(base, other.value);
            break;
        default: return;
    }
    if (!v.counts) return;
    v.likely = base;
    v.stride = moving.stride;
}

llvm::Value* emitter::binary_float(ir::op code, llvm::Value* a, llvm::Value* b) {
    switch (code) {
        case ir::op::add: return b_.CreateFAdd(a, b);
        case ir::op::sub: return b_.CreateFSub(a, b);
        case ir::op::mul: return b_.CreateFMul(a, b);
        case ir::op::div: return b_.CreateFDiv(a, b);
        case ir::op::rem: {
            llvm::Value* arguments[] = {a, b};
            return float_function(ir::op::fmod, arguments);
        }
        case ir::op::min: case ir::op::max: return min_max(code, ir::scalar_kind::f32, a, b);
        default: refuse(module_, std::string(ir::info(code).name) + " has no meaning for floats");
    }
}

llvm::Value* emitter::binary_integer(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b) {
    const auto count = [&] { return b_.CreateAnd(b, llvm::ConstantInt::get(b->getType(), ir::bit_width(k) - 1)); };
    switch (code) {
        case ir::op::add: return b_.CreateAdd(a, b);
        case ir::op::sub: return b_.CreateSub(a, b);
        case ir::op::mul: return b_.CreateMul(a, b);
        case ir::op::div: case ir::op::rem: return divide(code, k, a, b);
        case ir::op::min: case ir::op::max: return min_max(code, k, a, b);
        case ir::op::bit_and: return b_.CreateAnd(a, b);
        case ir::op::bit_or: return b_.CreateOr(a, b);
        case ir::op::bit_xor: return b_.CreateXor(a, b);
        case ir::op::shl: return b_.CreateShl(a, count());
        case ir::op::shr: return ir::is_signed_integer(k) ? b_.CreateAShr(a, count()) : b_.CreateLShr(a, count());
        default: refuse(module_, std::string(ir::info(code).name) + " has no meaning for integers");
    }
}

llvm::Value* emitter::unary(ir::op code, ir::scalar_kind k, llvm::Value* a) {
    const bool is_float = ir::is_float(k);
    switch (code) {
        case ir::op::neg: return is_float ? b_.CreateFNeg(a) : b_.CreateNeg(a);
        case ir::op::abs:
            if (is_float) return intrinsic(llvm::Intrinsic::fabs, {a});
            return ir::is_signed_integer(k) ? intrinsic(llvm::Intrinsic::abs, {a, b_.getFalse()}) : a;
        case ir::op::bit_not: return b_.CreateNot(a);
        case ir::op::popcount: return intrinsic(llvm::Intrinsic::ctpop, {a});
        case ir::op::clz: return intrinsic(llvm::Intrinsic::ctlz, {a, b_.getFalse()});
        case ir::op::ctz: return intrinsic(llvm::Intrinsic::cttz, {a, b_.getFalse()});
        case ir::op::reverse_bits: return intrinsic(llvm::Intrinsic::bitreverse, {a});
        default: refuse(module_, std::string(ir::info(code).name) + " takes more than one operand");
    }
}

/// A divisor of 0, or of -1 under the smallest number, counts as 1; so no lane traps, not even one that is off.
llvm::Value* emitter::divide(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b) {
    const bool is_signed = ir::is_signed_integer(k), quotient = code == ir::op::div;
    llvm::Type* type = a->getType();
    const unsigned width = ir::bit_width(k);
    const auto* constant = llvm::dyn_cast<llvm::Constant>(b);
    const auto* known = constant && type->isVectorTy() ? llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getSplatValue())
                                                       : llvm::dyn_cast<llvm::ConstantInt>(b);
    const bool harmless = known && !known->isZero() && !(is_signed && known->isMinusOne());
    if (!harmless) {
        b = b_.CreateFreeze(b);
        llvm::Value* bad = b_.CreateICmpEQ(b, llvm::ConstantInt::get(type, 0));
        if (is_signed) {
            llvm::Value* smallest = b_.CreateICmpEQ(a, llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(width)));
            bad = b_.CreateOr(bad, b_.CreateAnd(smallest, b_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type))));
        }
        b = b_.CreateSelect(bad, llvm::ConstantInt::get(type, 1), b);
    }
    if (!type->isVectorTy() || harmless || width == 64) {
        if (is_signed) return quotient ? b_.CreateSDiv(a, b) : b_.CreateSRem(a, b);
        return quotient ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
    }
    // x86 divides no vectors of integers, but a double holds each quotient of 32 bits with room for its rounding: the
    // nearest double to a/b never reaches the next integer
    llvm::IRBuilderBase::FastMathFlagGuard exact(b_);
    b_.setFastMathFlags({});
    llvm::Type *wide = vector_of(width == 32 ? b_.getDoubleTy() : b_.getFloatTy()), *integer = vector_of(b_.getInt32Ty());
    const auto to_float = [&](llvm::Value* v) { return is_signed ? b_.CreateSIToFP(v, wide) : b_.CreateUIToFP(v, wide); };
    llvm::Value* q = b_.CreateFDiv(to_float(a), to_float(b));
    q = b_.CreateTrunc(is_signed ? b_.CreateFPToSI(q, integer) : b_.CreateFPToUI(q, integer), type);
    return quotient ? q : b_.CreateSub(a, b_.CreateMul(q, b));
}

llvm::Value* emitter::min_max(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b) {
    const bool minimum = code == ir::op::min;
    if (ir::is_signed_integer(k)) return intrinsic(minimum ? llvm::Intrinsic::smin : llvm::Intrinsic::smax, {a, b});
    if (ir::is_unsigned_integer(k)) return intrinsic(minimum ? llvm::Intrinsic::umin : llvm::Intrinsic::umax, {a, b});
    llvm::Value* r = b_.CreateSelect(minimum ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOGT(a, b), a, b);
    if (module_.math == ir::math_mode::fast) return r;
    // equal numbers differ at most in the sign of a zero: either sign wins for min, both must have it for max
    llvm::Type* bits = like(a, b_.getIntNTy(a->getType()->getScalarSizeInBits()));
    llvm::Value *ia = b_.CreateBitCast(a, bits), *ib = b_.CreateBitCast(b, bits);
    llvm::Value* zero = b_.CreateBitCast(minimum ? b_.CreateOr(ia, ib) : b_.CreateAnd(ia, ib), a->getType());
    r = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), zero, r);
    return b_.CreateSelect(b_.CreateFCmpUNO(b, b), a, r);
}

llvm::Value* emitter::compare(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b) {
    using predicate = llvm::CmpInst::Predicate;
    struct row { predicate is_float, is_signed, is_unsigned; };
    static constexpr row rows[] = {
        {predicate::FCMP_OEQ, predicate::ICMP_EQ, predicate::ICMP_EQ},   {predicate::FCMP_UNE, predicate::ICMP_NE, predicate::ICMP_NE},
        {predicate::FCMP_OLT, predicate::ICMP_SLT, predicate::ICMP_ULT}, {predicate::FCMP_OLE, predicate::ICMP_SLE, predicate::ICMP_ULE},
        {predicate::FCMP_OGT, predicate::ICMP_SGT, predicate::ICMP_UGT}, {predicate::FCMP_OGE, predicate::ICMP_SGE, predicate::ICMP_UGE},
    };
    const row& r = rows[static_cast<std::size_t>(code) - static_cast<std::size_t>(ir::op::eq)];
    if (ir::is_float(k)) return b_.CreateFCmp(r.is_float, a, b);
    return b_.CreateICmp(ir::is_signed_integer(k) ? r.is_signed : r.is_unsigned, a, b);
}

components emitter::emit_compare(ir::value_id v, std::span<const components> operands) {
    const ir::scalar_kind k = scalar_of(module_.operands_of(v)[0]);
    components all;
    for (std::size_t i = 0; i < operands[0].size(); ++i) {
        const lane_value &a = operands[0][i], &b = operands[1][i];
        const bool uniform = a.is_uniform() && b.is_uniform();
        llvm::Value *x = uniform ? a.value : vector(a), *y = uniform ? b.value : vector(b);
        if (is_half(k)) x = widen_half(x, k), y = widen_half(y, k);
        llvm::Value* r = compare(module_[v].op, k, x, y);
        all.push_back(uniform ? lane_value::uniform(r) : lane_value::varying(r));
    }
    return all;
}

}  // namespace quern::cpu::codegen
