// Casts: narrowing wraps, floats saturate to integers with NaN as 0, integers round to nearest even.
#include <cmath>

#include "backends/spirv/emitter.hpp"
#include "dsl/ir/float_format.hpp"

namespace quern::spirv {

id emitter::resize_integer(id x, std::uint32_t from, std::uint32_t to, bool is_signed, std::uint32_t width) {
    if (from == to) return x;
    return compute(is_signed ? spv::OpSConvert : spv::OpUConvert, integer_type(to, width), {x});
}

/// The bounds are powers of two, so they are exact in every format that holds them; infinity stands for the others.
id emitter::float_to_integer(id x, ir::scalar_kind from, ir::scalar_kind to, std::uint32_t width) {
    const bool is_signed = ir::is_signed_integer(to);
    const std::uint32_t bits = ir::bit_width(to);
    const id mask = bool_type(width), real = scalar_type(from, width), whole = integer_type(bits, width);
    const auto bound = [&](double n) { return splat(scalar_constant(from, ir::encode_float(from, n)), real, width); };
    const auto number = [&](std::uint64_t n) { return splat(integer(bits, n), whole, width); };
    const double end = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0));
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits), least = is_signed ? std::uint64_t{1} << (bits - 1) : 0;
    const std::uint64_t most = is_signed ? least - 1 : all;
    // Outside of the range the conversion's result is unspecified, so it gets what is inside.
    const id above = compute(spv::OpFOrdGreaterThanEqual, mask, {x, bound(end)});
    const id below = compute(spv::OpFOrdLessThanEqual, mask, {x, bound(is_signed ? -end : 0.0)});
    const id nan = compute(spv::OpFUnordNotEqual, mask, {x, x});
    const id outside = compute(spv::OpLogicalOr, mask, {compute(spv::OpLogicalOr, mask, {above, below}), nan});
    const id inside = compute(spv::OpSelect, real, {outside, bound(0.0), x});
    id result = compute(is_signed ? spv::OpConvertFToS : spv::OpConvertFToU, whole, {inside});
    result = compute(spv::OpSelect, whole, {above, number(most), result});
    if (least != 0) result = compute(spv::OpSelect, whole, {below, number(least), result});
    return result;
}

id emitter::cast(ir::value_id v) {
    const ir::type& source = type_of(m_.operands_of(v)[0]);
    const ir::scalar_kind from = source.scalar, to = type_of(v).scalar;
    const std::uint32_t width = source.count;
    const id x = operand(v, 0), whole = native_type(m_[v].type);
    if (from == to) return x;
    if (from == ir::scalar_kind::boolean) {
        const auto constant = [&](double one) {
            const std::uint64_t bits = ir::is_float(to) ? ir::encode_float(to, one) : static_cast<std::uint64_t>(one);
            return splat(scalar_constant(to, bits), whole, width);
        };
        return compute(spv::OpSelect, whole, {x, constant(1), constant(0)});
    }
    if (to == ir::scalar_kind::boolean) {
        const id zero = splat(scalar_constant(from, 0), scalar_type(from, width), width);
        return compute(ir::is_float(from) ? spv::OpFUnordNotEqual : spv::OpINotEqual, whole, {x, zero});
    }
    if (ir::is_float(from))
        return ir::is_float(to) ? compute(spv::OpFConvert, whole, {x}) : float_to_integer(x, from, to, width);
    const bool is_signed = ir::is_signed_integer(from);
    if (ir::is_float(to)) return compute(is_signed ? spv::OpConvertSToF : spv::OpConvertUToF, whole, {x});
    return resize_integer(x, ir::bit_width(from), ir::bit_width(to), is_signed, width);
}

id emitter::reinterpret(ir::value_id v) {
    const id from = native_type(m_[m_.operands_of(v)[0]].type), to = native_type(m_[v].type);
    return from == to ? operand(v, 0) : compute(spv::OpBitcast, to, {operand(v, 0)});
}

}  // namespace quern::spirv
