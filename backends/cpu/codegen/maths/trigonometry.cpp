// sin, cos, tan: x = n pi/2 + r with |r| <= pi/4, r as an unevaluated sum; the functions of r are polynomials, n chooses.
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "backends/cpu/codegen/maths/functions.hpp"

namespace quern::cpu::codegen::maths {
namespace {

struct reduced {
    real r, low;
    whole quadrant;  ///< modulo 4
};

/// For |x| up to the limits of reduce(): three pieces of pi/2. The first difference is exact.
reduced reduce_small(real x) {
    const nearest_integer n = nearest_product(x, x.constant(inverse_half_pi));
    const real first = fma_exact(-n.value, x.constant(half_pi), x);
    const sum middle = two_product(-n.value, x.constant(half_pi, 1));
    const sum r = quick_two_sum(first, middle.high);  // exact although first may be the smaller one: it has few digits
    return {r.high, r.low + fma(-n.value, x.constant(half_pi, 2), middle.low), n.number};
}

/// The digits of 2/pi as a table in the object.
llvm::Value* digits_of_two_over_pi(const real& x) {
    llvm::Module& m = *x.b().GetInsertBlock()->getModule();
    static constexpr const char* name = "quern_two_over_pi";
    if (llvm::GlobalVariable* known = m.getGlobalVariable(name, true)) return known;
    llvm::Constant* content = llvm::ConstantDataArray::get(m.getContext(), llvm::ArrayRef<std::uint8_t>(two_over_pi));
    auto* table = new llvm::GlobalVariable(m, content->getType(), true, llvm::GlobalValue::PrivateLinkage, content, name);
    table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return table;
}

/// 8 bytes of the table from each offset.
whole load_digits(const real& x, whole offset) {
    auto& b = x.b();
    llvm::Value* from = b.CreateGEP(b.getInt8Ty(), digits_of_two_over_pi(x), offset.value);
    whole r = offset;
    r.value = offset.value->getType()->isVectorTy()
                  ? static_cast<llvm::Value*>(b.CreateMaskedGather(offset.value->getType(), from, llvm::Align(1)))
                  : b.CreateAlignedLoad(b.getInt64Ty(), from, llvm::Align(1));
    return r;
}

/// Payne and Hanek, "Radian reduction for trigonometric functions": x = m 2^e, and of the digits of 2/pi only those
/// count that make neither multiples of 4 nor less than 2^-130 in m 2^e 2/pi. x double, 2^16 < |x|; also for NaN and
/// infinities, which give NaN.
reduced reduce_large(real x) {
    const whole raw = bits(x);
    whole e = ((raw >> 52) & 0x7ff) - 1023;
    e = select(e < 1024, e, e.constant(1023));
    const whole one = bits(x.constant(1));
    const real m = from_bits((raw & ~(std::int64_t{0x7ff} << 52)) | one);
    const whole dropped = select(e < 54, e.constant(0), e - 54) >> 3;  // bytes of digits
    // six bytes a piece, read with two more in front of them
    std::vector<real> terms;
    const auto last = static_cast<std::int64_t>(std::size(two_over_pi)) - 2;
    for (int i = 0; i < 4; ++i) {
        const whole digits = load_digits(x, (e.constant(last - 6 * (i + 1)) - dropped)) & 0xffff'ffff'ffff;
        const real shift = x.constant(0x1p52), piece = from_bits(digits | bits(shift)) - shift;
        const real weight = from_bits((e - (dropped << 3) - 48 * (i + 1) + 1023) << 52);
        const sum product = two_product(m, piece * weight);
        for (const real& each : {product.high, product.low})
            terms.push_back(i < 2 ? each - round_any(each * 0.25) * 4.0 : each);
    }
    // the largest of all takes in the others; twice, so that what is left of a cancelled whole part is right
    const auto gather = [&] {
        for (std::size_t i = terms.size() - 1; i > 0; --i) {
            const sum s = two_sum(terms[i - 1], terms[i]);
            terms[i - 1] = s.high;
            terms[i] = s.low;
        }
    };
    gather();
    gather();
    const nearest_integer n = nearest(terms[0]);
    terms[0] = terms[0] - n.value;
    gather();
    gather();
    real rest = terms.back();
    for (std::size_t i = terms.size() - 1; i-- > 2;) rest = terms[i] + rest;
    const sum turns = quick_two_sum(terms[0], terms[1] + rest);
    const sum r = turns * sum{x.constant(half_pi), x.constant(half_pi, 1)};
    const real high = select(abs(x) < x.infinity(), r.high, x.nan());
    return {high, r.low, n.number};
}

reduced reduce(real x) {
    const reduced usual = reduce_small(x);
    const mask large = !(abs(x) <= x.constant(0x1p17, 0x1p30));
    const values v = rarely(large, {usual.r.value, usual.low.value, usual.quadrant.value}, [&]() -> values {
        reduced r = reduce_large(x.is_double() ? x : widen(x));
        // lanes that took the short way keep what it gave
        if (!x.is_double()) {
            const real high = narrow(r.r);
            r.low = narrow((r.r - widen(high)) + r.low);
            r.r = high;
            r.quadrant.value = x.b().CreateTrunc(r.quadrant.value, usual.quadrant.value->getType());
        }
        return {select(large, r.r, usual.r).value, select(large, r.low, usual.low).value,
                select(large, r.quadrant, usual.quadrant).value};
    });
    reduced r = usual;
    r.r.value = v[0];
    r.low.value = v[1];
    r.quadrant.value = v[2];
    return r;
}

/// sin(r + low) and cos(r + low).
struct pair {
    real sine, cosine;
};

pair sine_and_cosine(real r, real low) {
    const real z = r * r;
    const real sine = r + fma(z * r, polynomial_of(z, sin_tail), low);
    // 1 - z/2 rounds; what that loses is known
    const real half = z * 0.5, head = 1.0 - half, lost = (1.0 - head) - half;
    const real cosine = head + fma(z * z, polynomial_of(z, cos_tail), fma(-r, low, lost));
    return {sine, cosine};
}

/// The sign bit from bit 1 of n.
whole sign_from(whole n, const real& x) { return (n & 2) << (x.is_double() ? 62 : 30); }

}  // namespace

real sin(real x) {
    const reduced a = reduce(abs(x));
    const pair p = sine_and_cosine(a.r, a.low);
    const real r = select((a.quadrant & 1) == 0, p.sine, p.cosine);
    return flip(r, sign_from(a.quadrant, x) ^ sign_of(x));
}

real cos(real x) {
    const reduced a = reduce(abs(x));
    const pair p = sine_and_cosine(a.r, a.low);
    const real r = select((a.quadrant & 1) == 0, p.cosine, p.sine);
    return flip(r, sign_from(a.quadrant + 1, x));
}

real tan(real x) {
    const reduced a = reduce(abs(x));
    const pair p = sine_and_cosine(a.r, a.low);
    const mask even = (a.quadrant & 1) == 0;
    const real r = select(even, p.sine, -p.cosine) / select(even, p.cosine, p.sine);
    return flip(r, sign_of(x));
}

}  // namespace quern::cpu::codegen::maths
