// Arithmetic, bits, comparisons and composites: the meaning of DESIGN §3 in SPIR-V's words.
#include <quern/error.hpp>

#include <fmt/format.h>

#include "backends/spirv/rules.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"

namespace quern::spirv {

void emitter::define(ir::value_id v) {
    const ir::value& value = m_[v];
    const rule& r = rules[static_cast<std::size_t>(value.op)];
    exact_now_ = m_.math == ir::math_mode::precise || (v.number < exact_.size() && exact_[v.number]);
    id made = 0;
    if (r.function != nullptr) {
        made = (this->*r.function)(v);
    } else {
        const ir::scalar_kind k = m_.operands_of(v).empty() ? ir::scalar_kind::none : type_of(m_.operands_of(v)[0]).scalar;
        const spv::Op code = k == ir::scalar_kind::boolean      ? r.on_bool
                             : ir::is_float(k)                  ? r.on_float
                             : ir::is_signed_integer(k)         ? r.on_signed
                                                                : r.on_unsigned;
        if (code == spv::OpNop)
            throw internal_error(fmt::format("{}: the SPIR-V writer met {}, which the lowering should have replaced; please "
                                             "report this with the IR dump", ir::describe(m_, line_), ir::info(value.op).name));
        made = simple(v, code);
    }
    ids_[v.number] = made;
    if (debug_ == debug_lines::include && v.number < m_.value_names.size() && !m_.value_names[v.number].empty() &&
        value.op != ir::op::constant)
        code_.name(made, m_.value_names[v.number]);
}

id emitter::simple(ir::value_id v, spv::Op code) {
    std::vector<word> words;
    for (const ir::value_id o : m_.operands_of(v)) words.push_back(ids_[o.number]);
    const id made = code_.add_result(section::body, code, native_type(m_[v].type), words);
    const bool is_arithmetic = code == spv::OpFAdd || code == spv::OpFSub || code == spv::OpFMul;
    if (is_arithmetic && exact_now_) code_.decorate(made, spv::DecorationNoContraction);
    return made;
}

id emitter::constant(ir::value_id v) { return scalar_constant(type_of(v).scalar, m_[v].immediate); }

/// Loaded in the entry block, a bool from its byte.
id emitter::parameter(ir::value_id v) {
    const block_member& b = *block_.find(block_content::value, static_cast<std::uint32_t>(m_[v].immediate));
    const bool is_physical = block_.is_indirect && f_.addresses;
    pointer p;
    p.storage = is_physical ? spv::StorageClassPhysicalStorageBuffer
                : block_.is_indirect ? spv::StorageClassStorageBuffer
                                     : spv::StorageClassPushConstant;
    p.form = representation::packed;
    p.is_packed = true;
    p.type = m_[v].type;
    p.address = once(std::uint64_t{4} << 48 | m_[v].immediate, [&] { return block_member_pointer(b, type_in(p.type, p.form, true), 0); });
    return load(p);
}

// ---- integers ----

/// 0 counts as 1, and so does -1 under the smallest value. Constants show that they are neither.
id emitter::divisor(ir::value_id v) {
    const ir::type_id t = m_[v].type;
    const ir::type& type = m_[t];
    const id d = operand(v, 1), whole = native_type(t), mask = bool_type(type.count);
    const ir::value& given = m_[m_.operands_of(v)[1]];
    const std::uint32_t width = ir::bit_width(type.scalar);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
    if (given.op == ir::op::constant && given.immediate != 0 && given.immediate != all) return d;
    id bad = compute(spv::OpIEqual, mask, {d, like(t, 0)});
    if (ir::is_signed_integer(type.scalar)) {
        const id minus_one = compute(spv::OpIEqual, mask, {d, like(t, all)});
        const id least = compute(spv::OpIEqual, mask, {operand(v, 0), like(t, std::uint64_t{1} << (width - 1))});
        bad = compute(spv::OpLogicalOr, mask, {bad, compute(spv::OpLogicalAnd, mask, {minus_one, least})});
    }
    return compute(spv::OpSelect, whole, {bad, like(t, 1), d});
}

id emitter::divide(ir::value_id v) {
    const ir::type& type = type_of(v);
    if (ir::is_float(type.scalar)) return float_math(spv::OpFDiv, native_type(m_[v].type), {operand(v, 0), operand(v, 1)});
    const spv::Op code = ir::is_signed_integer(type.scalar) ? spv::OpSDiv : spv::OpUDiv;
    return compute(code, native_type(m_[v].type), {operand(v, 0), divisor(v)});
}

/// From the quotient: Vulkan leaves OpSRem of negative operands undefined.
id emitter::remainder(ir::value_id v) {
    const ir::type_id t = m_[v].type;
    const id whole = native_type(t), d = divisor(v);
    if (!ir::is_signed_integer(m_[t].scalar)) return compute(spv::OpUMod, whole, {operand(v, 0), d});
    const id q = compute(spv::OpSDiv, whole, {operand(v, 0), d});
    return compute(spv::OpISub, whole, {operand(v, 0), compute(spv::OpIMul, whole, {q, d})});
}

id emitter::negate(ir::value_id v) {
    const spv::Op code = ir::is_float(type_of(v).scalar) ? spv::OpFNegate : spv::OpSNegate;
    return compute(code, native_type(m_[v].type), {operand(v, 0)});
}

id emitter::absolute(ir::value_id v) {
    const ir::scalar_kind k = type_of(v).scalar;
    const id whole = native_type(m_[v].type), x = operand(v, 0);
    if (ir::is_float(k)) return extended(GLSLstd450FAbs, whole, {x});
    if (!ir::is_signed_integer(k)) return x;
    const id negative = compute(spv::OpSLessThan, bool_type(type_of(v).count), {x, like(m_[v].type, 0)});
    return compute(spv::OpSelect, whole, {negative, compute(spv::OpSNegate, whole, {x}), x});
}

id emitter::minimum(ir::value_id v) { return extreme(v, true); }
id emitter::maximum(ir::value_id v) { return extreme(v, false); }
id emitter::extreme(ir::value_id v, bool smaller) {
    return extreme_of(type_of(v).scalar, type_of(v).count, operand(v, 0), operand(v, 1), smaller);
}

/// Floats: drops a NaN and orders -0 below +0, which no SPIR-V instruction promises.
id emitter::extreme_of(ir::scalar_kind k, std::uint32_t width, id a, id b, bool smaller) {
    const id whole = scalar_type(k, width), mask = bool_type(width);
    if (!ir::is_float(k)) {
        const bool is_signed = ir::is_signed_integer(k);
        const spv::Op less = is_signed ? spv::OpSLessThan : spv::OpULessThan;
        return compute(spv::OpSelect, whole, {smaller ? compute(less, mask, {b, a}) : compute(less, mask, {a, b}), b, a});
    }
    if (m_.math == ir::math_mode::fast) return extended(smaller ? GLSLstd450FMin : GLSLstd450FMax, whole, {a, b});
    const id bits = integer_type(ir::bit_width(k), width);
    const id beyond = smaller ? compute(spv::OpFOrdLessThan, mask, {b, a}) : compute(spv::OpFOrdLessThan, mask, {a, b});
    const id nan = compute(spv::OpFUnordNotEqual, mask, {a, a});
    const id ordered = compute(spv::OpSelect, whole, {compute(spv::OpLogicalOr, mask, {beyond, nan}), b, a});
    const id x = compute(spv::OpBitcast, bits, {a}), y = compute(spv::OpBitcast, bits, {b});
    const id both = compute(spv::OpBitcast, whole, {compute(smaller ? spv::OpBitwiseOr : spv::OpBitwiseAnd, bits, {x, y})});
    return compute(spv::OpSelect, whole, {compute(spv::OpFOrdEqual, mask, {a, b}), both, ordered});
}

id emitter::fused(ir::value_id v) {
    return extended(GLSLstd450Fma, native_type(m_[v].type), {operand(v, 0), operand(v, 1), operand(v, 2)});
}

id emitter::shift(ir::value_id v) {
    const ir::type_id t = m_[v].type;
    const ir::scalar_kind k = m_[t].scalar;
    const id count = compute(spv::OpBitwiseAnd, native_type(t), {operand(v, 1), like(t, ir::bit_width(k) - 1)});
    const spv::Op code = m_[v].op == ir::op::shl      ? spv::OpShiftLeftLogical
                         : ir::is_signed_integer(k)   ? spv::OpShiftRightArithmetic
                                                      : spv::OpShiftRightLogical;
    return compute(code, native_type(t), {operand(v, 0), count});
}

// The lowering leaves 32-bit operands only.
id emitter::count_bits(ir::value_id v) { return compute(spv::OpBitCount, native_type(m_[v].type), {operand(v, 0)}); }
id emitter::reverse(ir::value_id v) { return compute(spv::OpBitReverse, native_type(m_[v].type), {operand(v, 0)}); }

/// FindUMsb gives -1 for 0.
id emitter::leading_zeros(ir::value_id v) {
    const id top = extended(GLSLstd450FindUMsb, native_type(m_[v].type), {operand(v, 0)});
    return compute(spv::OpISub, native_type(m_[v].type), {like(m_[v].type, 31), top});
}

id emitter::trailing_zeros(ir::value_id v) {
    const id whole = native_type(m_[v].type), x = operand(v, 0);
    const id zero = compute(spv::OpIEqual, bool_type(type_of(v).count), {x, like(m_[v].type, 0)});
    return compute(spv::OpSelect, whole, {zero, like(m_[v].type, 32), extended(GLSLstd450FindILsb, whole, {x})});
}

// ---- floats ----

id emitter::float_function(ir::value_id v) {
    GLSLstd450 code = GLSLstd450Floor;
    if (m_[v].op == ir::op::ceil) code = GLSLstd450Ceil;
    if (m_[v].op == ir::op::trunc) code = GLSLstd450Trunc;
    if (m_[v].op == ir::op::rint) code = GLSLstd450RoundEven;
    if (m_[v].op == ir::op::sqrt) code = GLSLstd450Sqrt;
    return extended(code, native_type(m_[v].type), {operand(v, 0)});
}

// ---- selection and composites ----

id emitter::select(ir::value_id v) {
    const std::uint32_t width = type_of(v).count;
    id condition = operand(v, 0);
    if (width > 1 && type_of(m_.operands_of(v)[0]).count == 1) {
        const std::vector<word> parts(width, condition);
        condition = code_.add_result(section::body, spv::OpCompositeConstruct, bool_type(width), parts);
    }
    return compute(spv::OpSelect, native_type(m_[v].type), {condition, operand(v, 1), operand(v, 2)});
}

id emitter::construct(ir::value_id v) {
    std::vector<word> parts;
    bool is_constant = true;
    for (const ir::value_id o : m_.operands_of(v)) {
        parts.push_back(ids_[o.number]);
        is_constant = is_constant && m_[o].op == ir::op::constant;
    }
    const id type = native_type(m_[v].type);
    if (is_constant) return code_.intern_constant(spv::OpConstantComposite, type, parts);
    return code_.add_result(section::body, spv::OpCompositeConstruct, type, parts);
}

id emitter::extract(ir::value_id v) {
    return compute(spv::OpCompositeExtract, native_type(m_[v].type), {operand(v, 0), static_cast<word>(m_[v].immediate)});
}

id emitter::insert(ir::value_id v) {
    return compute(spv::OpCompositeInsert, native_type(m_[v].type), {operand(v, 1), operand(v, 0), static_cast<word>(m_[v].immediate)});
}

id emitter::extract_dynamic(ir::value_id v) {
    return compute(spv::OpVectorExtractDynamic, native_type(m_[v].type), {operand(v, 0), operand(v, 1)});
}

id emitter::swizzle(ir::value_id v) {
    const std::uint64_t pattern = m_[v].immediate;
    const std::uint32_t count = ir::swizzle_count(pattern);
    if (count == 1) return compute(spv::OpCompositeExtract, native_type(m_[v].type), {operand(v, 0), static_cast<word>(pattern & 15)});
    std::vector<word> words{operand(v, 0), operand(v, 0)};
    for (std::uint32_t i = 0; i < count; ++i) words.push_back(static_cast<word>(pattern >> (4 * i) & 15));
    return code_.add_result(section::body, spv::OpVectorShuffle, native_type(m_[v].type), words);
}

}  // namespace quern::spirv
