#include "backends/cpu/codegen/maths/expression.hpp"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <limits>

namespace quern::cpu::codegen::maths {
namespace {

llvm::Value* call(const operand& a, llvm::Intrinsic::ID id, std::initializer_list<llvm::Value*> in) {
    return a.b().CreateIntrinsic(id, {a.value->getType()}, llvm::ArrayRef<llvm::Value*>(in.begin(), in.size()));
}

template <class T>
T as(const operand& from, llvm::Value* v) {
    T r;
    r.value = v;
    r.shop = from.shop;
    return r;
}

}  // namespace

llvm::Type* operand::like(llvm::Type* scalar) const {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

whole whole::constant(std::int64_t n) const {
    return as<whole>(*this, llvm::ConstantInt::get(value->getType(), static_cast<std::uint64_t>(n), true));
}

real real::constant(double x) const { return as<real>(*this, llvm::ConstantFP::get(value->getType(), x)); }
real real::infinity() const { return as<real>(*this, llvm::ConstantFP::getInfinity(value->getType())); }
real real::nan() const { return as<real>(*this, llvm::ConstantFP::getNaN(value->getType())); }

real operator+(real a, real b) { return as<real>(a, a.b().CreateFAdd(a.value, b.value)); }
real operator-(real a, real b) { return as<real>(a, a.b().CreateFSub(a.value, b.value)); }
real operator*(real a, real b) { return as<real>(a, a.b().CreateFMul(a.value, b.value)); }
real operator/(real a, real b) { return as<real>(a, a.b().CreateFDiv(a.value, b.value)); }
real operator-(real a) { return as<real>(a, a.b().CreateFNeg(a.value)); }

mask operator<(real a, real b) { return as<mask>(a, a.b().CreateFCmpOLT(a.value, b.value)); }
mask operator>(real a, real b) { return as<mask>(a, a.b().CreateFCmpOGT(a.value, b.value)); }
mask operator<=(real a, real b) { return as<mask>(a, a.b().CreateFCmpOLE(a.value, b.value)); }
mask operator>=(real a, real b) { return as<mask>(a, a.b().CreateFCmpOGE(a.value, b.value)); }
mask operator==(real a, real b) { return as<mask>(a, a.b().CreateFCmpOEQ(a.value, b.value)); }
mask is_nan(real a) { return as<mask>(a, a.b().CreateFCmpUNO(a.value, a.value)); }
mask operator&(mask a, mask b) { return as<mask>(a, a.b().CreateAnd(a.value, b.value)); }
mask operator|(mask a, mask b) { return as<mask>(a, a.b().CreateOr(a.value, b.value)); }
mask operator!(mask a) { return as<mask>(a, a.b().CreateNot(a.value)); }

whole operator+(whole a, whole b) { return as<whole>(a, a.b().CreateAdd(a.value, b.value)); }
whole operator-(whole a, whole b) { return as<whole>(a, a.b().CreateSub(a.value, b.value)); }
whole operator&(whole a, whole b) { return as<whole>(a, a.b().CreateAnd(a.value, b.value)); }
whole operator|(whole a, whole b) { return as<whole>(a, a.b().CreateOr(a.value, b.value)); }
whole operator^(whole a, whole b) { return as<whole>(a, a.b().CreateXor(a.value, b.value)); }
whole operator<<(whole a, unsigned count) { return as<whole>(a, a.b().CreateShl(a.value, count)); }
whole operator>>(whole a, unsigned count) { return as<whole>(a, a.b().CreateLShr(a.value, count)); }
mask operator==(whole a, whole b) { return as<mask>(a, a.b().CreateICmpEQ(a.value, b.value)); }
mask operator<(whole a, whole b) { return as<mask>(a, a.b().CreateICmpSLT(a.value, b.value)); }

real select(mask c, real a, real b) { return as<real>(a, a.b().CreateSelect(c.value, a.value, b.value)); }
whole select(mask c, whole a, whole b) { return as<whole>(a, a.b().CreateSelect(c.value, a.value, b.value)); }
real unless(mask c, real b, real a) { return a.shop->specials == special_values::open ? a : select(c, b, a); }

whole bits(real a) {
    return as<whole>(a, a.b().CreateBitCast(a.value, a.like(a.b().getIntNTy(a.is_double() ? 64 : 32))));
}
real from_bits(whole a) {
    llvm::Type* type = a.value->getType()->getScalarSizeInBits() == 64 ? a.b().getDoubleTy() : a.b().getFloatTy();
    return as<real>(a, a.b().CreateBitCast(a.value, a.like(type)));
}
real abs(real a) { return as<real>(a, call(a, llvm::Intrinsic::fabs, {a.value})); }
real sqrt(real a) { return as<real>(a, call(a, llvm::Intrinsic::sqrt, {a.value})); }
whole sign_of(real a) {
    const whole w = bits(a);
    return w & (a.is_double() ? std::numeric_limits<std::int64_t>::min() : std::int64_t{0x8000'0000});
}
real flip(real a, whole sign) { return from_bits(bits(a) ^ sign); }
real at_least(real a, double low) {
    const real c = a.constant(low);
    return select(c > a, c, a);
}
real at_most(real a, double high) {
    const real c = a.constant(high);
    return select(c < a, c, a);
}
real widen(real a) { return as<real>(a, a.b().CreateFPExt(a.value, a.like(a.b().getDoubleTy()))); }
real narrow(real a) { return as<real>(a, a.b().CreateFPTrunc(a.value, a.like(a.b().getFloatTy()))); }

namespace {

/// Adding it leaves no fraction bits: the integer stands in the low bits.
real shifter(real a) { return a.constant(0x1.8p23, 0x1.8p52); }

}  // namespace

real to_real(whole n, real like) {
    const real s = shifter(like);
    return from_bits(n + bits(s)) - s;
}

real fma(real a, real b, real c) {
    if (!a.shop->has_fma) return a * b + c;
    return as<real>(a, call(a, llvm::Intrinsic::fma, {a.value, b.value, c.value}));
}

real fma_exact(real a, real b, real c) {
    if (a.shop->has_fma) return fma(a, b, c);
    const sum p = two_product(a, b), s = two_sum(p.high, c);
    return s.high + (s.low + p.low);
}

sum two_sum(real a, real b) {
    const real s = a + b, other = s - a;
    return {s, (a - (s - other)) + (b - other)};
}

sum quick_two_sum(real a, real b) {
    const real s = a + b;
    return {s, b - (s - a)};
}

sum two_product(real a, real b) {
    const real p = a * b;
    if (a.shop->has_fma) return {p, fma(a, b, -p)};
    // Dekker, "A floating-point technique for extending the available precision"
    const auto halves = [](real x) {
        const real t = x * x.constant(4097, 134217729), h = t - (t - x);
        return sum{h, x - h};
    };
    const sum x = halves(a), y = halves(b);
    return {p, ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

sum operator+(sum a, sum b) {
    const sum s = two_sum(a.high, b.high);
    return quick_two_sum(s.high, s.low + (a.low + b.low));
}
sum operator+(sum a, real b) {
    const sum s = two_sum(a.high, b);
    return quick_two_sum(s.high, s.low + a.low);
}
sum operator*(sum a, sum b) {
    const sum p = two_product(a.high, b.high);
    return quick_two_sum(p.high, p.low + fma(a.high, b.low, a.low * b.high));
}
sum operator*(sum a, real b) {
    const sum p = two_product(a.high, b);
    return quick_two_sum(p.high, fma(a.low, b, p.low));
}
sum operator/(sum a, sum b) {
    const real q = a.high / b.high;
    const sum back = two_product(q, b.high);
    const real left = ((a.high - back.high) - back.low) + (a.low - q * b.low);
    return quick_two_sum(q, left / b.high);
}

real polynomial_of(real z, std::span<const double> c) {
    const auto horner = [&](real x, std::size_t first, std::size_t step) {
        std::size_t i = first + (c.size() - 1 - first) / step * step;
        real r = x.constant(c[i]);
        while (i >= first + step) r = fma(r, x, c[i -= step]);
        return r;
    };
    if (c.size() < 8) return horner(z, 0, 1);
    const real square = z * z;  // two chains of half the latency
    return fma(horner(square, 1, 2), z, horner(square, 0, 2));
}

real polynomial_of(real z, const polynomial& p) { return polynomial_of(z, z.is_double() ? p.f64 : p.f32); }

namespace {

nearest_integer shifted(real t) {
    const real s = shifter(t);
    return {t - s, bits(t) - bits(s)};
}

}  // namespace

nearest_integer nearest(real a) { return shifted(a + shifter(a)); }
nearest_integer nearest_product(real a, real b) { return shifted(fma(a, b, shifter(a))); }

real round_any(real a) {
    if (a.shop->has_rounding) return as<real>(a, call(a, llvm::Intrinsic::rint, {a.value}));
    const real near = flip(nearest(abs(a)).value, sign_of(a));
    return select(abs(a) < a.constant(0x1p22, 0x1p51), near, a);
}

real truncate_any(real a) {
    if (a.shop->has_rounding) return as<real>(a, call(a, llvm::Intrinsic::trunc, {a.value}));
    const real size = abs(a), near = nearest(size).value;
    const real cut = flip(select(near > size, near - 1.0, near), sign_of(a));
    return select(size < a.constant(0x1p22, 0x1p51), cut, a);
}

namespace {

/// The intrinsic of each register width, or none where the value is no vector of this machine's registers.
struct native_row {
    llvm::Intrinsic::ID ps[3], pd[3];  ///< 128, 256, 512 bits
};

#define QUERN_NATIVE(name)                                                                                              \
    {{llvm::Intrinsic::name##_ps_128, llvm::Intrinsic::name##_ps_256, llvm::Intrinsic::name##_ps_512},                  \
     {llvm::Intrinsic::name##_pd_128, llvm::Intrinsic::name##_pd_256, llvm::Intrinsic::name##_pd_512}}
constexpr native_row native_scale QUERN_NATIVE(x86_avx512_mask_scalef);
constexpr native_row native_exponent QUERN_NATIVE(x86_avx512_mask_getexp);
constexpr native_row native_fraction QUERN_NATIVE(x86_avx512_mask_getmant);
constexpr native_row native_rsqrt QUERN_NATIVE(x86_avx512_rsqrt14);
#undef QUERN_NATIVE

bool has_native(const real& a) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a.value->getType());
    return vector && a.shop->has_avx512 && vector->getNumElements() * vector->getScalarSizeInBits() % 128 == 0;
}

/// Which of the masked intrinsics' arguments an operation has.
enum class form : std::uint8_t { plain, rounded, masked_binary, with_immediate };

/// Register by register. `second` and `immediate` as the form has them.
real native(const native_row& row, form f, real a, real second, unsigned immediate) {
    auto& b = a.b();
    auto* type = llvm::cast<llvm::FixedVectorType>(a.value->getType());
    const unsigned width = type->getScalarSizeInBits(), all = type->getNumElements();
    const unsigned register_bits = std::min(a.shop->register_bits, all * width), count = register_bits / width;
    const unsigned index = register_bits == 512 ? 2 : register_bits == 256 ? 1 : 0;
    auto* piece_type = llvm::FixedVectorType::get(type->getElementType(), count);
    llvm::Value* result = nullptr;
    for (unsigned first = 0; first < all; first += count) {
        const auto piece = [&](llvm::Value* v) -> llvm::Value* {
            if (count == all) return v;
            llvm::SmallVector<int, 16> which;
            for (unsigned i = 0; i < count; ++i) which.push_back(static_cast<int>(first + i));
            return b.CreateShuffleVector(v, which);
        };
        llvm::Value* source = llvm::Constant::getNullValue(piece_type);
        llvm::Value* every = llvm::Constant::getAllOnesValue(b.getIntNTy(std::max(8u, count)));
        llvm::SmallVector<llvm::Value*, 6> in{piece(a.value)};
        if (f == form::masked_binary) in.push_back(piece(second.value));
        if (f == form::with_immediate) in.push_back(b.getInt32(immediate));
        in.push_back(source);
        in.push_back(every);
        if (index == 2 && f != form::plain) in.push_back(b.getInt32(4));  // the current rounding
        llvm::Value* r = b.CreateIntrinsic((width == 64 ? row.pd : row.ps)[index], {}, in);
        if (count == all) return as<real>(a, r);
        llvm::SmallVector<int, 16> whole_of, merge;
        for (unsigned i = 0; i < all; ++i) {
            whole_of.push_back(i < count ? static_cast<int>(i) : llvm::PoisonMaskElem);
            const bool here = i >= first && i < first + count;
            merge.push_back(static_cast<int>(here ? all + i - first : i));
        }
        r = b.CreateShuffleVector(r, whole_of);
        result = result ? b.CreateShuffleVector(result, r, merge) : r;
    }
    return as<real>(a, result);
}

}  // namespace

real scale(real a, nearest_integer n) {
    if (has_native(a)) return native(native_scale, form::masked_binary, a, n.value, 0);
    // two factors that are normal numbers: the first product is exact
    const whole half = nearest_product(n.value, a.constant(0.5)).number, one = bits(a.constant(1));
    const auto power = [&](whole e) { return from_bits((e << a.fraction_bits()) + one); };
    return a * power(half) * power(n.number - half);
}

split_float split(real x) {
    if (has_native(x)) {
        // immediate: fractions in [3/4, 3/2), NaN for what has a sign
        const real fraction = native(native_fraction, form::with_immediate, x, {}, 0b1111);
        const real exponent = native(native_exponent, form::rounded, x, {}, 0) - native(native_exponent, form::rounded, fraction, {}, 0);
        return {fraction, exponent, true};
    }
    const mask tiny = x < x.constant(0x1p-126, 0x1p-1022);
    const real normal = select(tiny, x * x.constant(0x1p24, 0x1p54), x);
    const whole low = bits(x.constant(0.75)), one = bits(x.constant(1));
    const whole shifted_bits = bits(normal) + (one - low);
    const whole exponent = (shifted_bits >> x.fraction_bits()) - x.bias();
    const whole fraction = (shifted_bits & ((std::int64_t{1} << x.fraction_bits()) - 1)) + low;
    const real e = to_real(exponent, x);
    return {from_bits(fraction), select(tiny, e - e.constant(24, 54), e), false};
}

real estimate_rsqrt(real x) { return has_native(x) ? native(native_rsqrt, form::plain, x, {}, 0) : real{}; }

values rarely(mask c, const values& usual, const std::function<values()>& slow) {
    auto& b = c.b();
    llvm::Value* any = c.value->getType()->isVectorTy() ? c.shop->any_lane(c.value) : c.value;
    llvm::BasicBlock* before = b.GetInsertBlock();
    llvm::Function* function = before->getParent();
    auto& context = function->getContext();
    auto *rare = llvm::BasicBlock::Create(context, "rare", function), *end = llvm::BasicBlock::Create(context, "rare.end", function);
    b.CreateCondBr(any, rare, end, llvm::MDBuilder(context).createBranchWeights(1, 2000));
    b.SetInsertPoint(rare);
    const values other = slow();
    llvm::BasicBlock* after = b.GetInsertBlock();
    b.CreateBr(end);
    b.SetInsertPoint(end);
    values result;
    for (std::size_t i = 0; i < usual.size(); ++i) {
        llvm::PHINode* phi = b.CreatePHI(usual[i]->getType(), 2);
        phi->addIncoming(usual[i], before);
        phi->addIncoming(other[i], after);
        result.push_back(phi);
    }
    return result;
}

}  // namespace quern::cpu::codegen::maths
