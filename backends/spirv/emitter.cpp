#include "backends/spirv/emitter.hpp"

#include <quern/error.hpp>

#include "dsl/ir/effects.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::spirv {
namespace {

/// Float atomics that a device does not have, or whose rounding of special values nobody promises.
bool needs_bits(const ir::module& m, const ir::value& v, const features& f) {
    if (ir::info(v.op).effect != ir::effect::atomic) return false;
    const ir::place& p = m.places[v.immediate];
    const ir::scalar_kind k = m[p.type].scalar;
    if (!ir::is_float(k)) return false;
    const bool is_buffer = p.root == ir::root_kind::parameter;
    return v.op != ir::op::atomic_add || k != ir::scalar_kind::f32 ||
           !(is_buffer ? f.atomic_add32_buffer : f.atomic_add32_shared);
}

}  // namespace

emitter::emitter(const lowered_module& l, const features& f, debug_lines d)
    : m_(l.module), exact_(l.exact), f_(f), block_(make_launch_block(l.module, f)), debug_(d), ids_(m_.values.size()),
      variables_(m_.variables.size()), bits_parameters_(m_.parameters.size()), bits_variables_(m_.variables.size()),
      descriptors_(m_.parameters.size()) {
    for (const ir::value& v : m_.values) {
        if (!needs_bits(m_, v, f_)) continue;
        const ir::place& p = m_.places[v.immediate];
        (p.root == ir::root_kind::parameter ? bits_parameters_ : bits_variables_)[p.number] = true;
    }
    for (const ir::value& v : m_.values) {
        const bool is_atomic = ir::info(v.op).effect == ir::effect::atomic, is_exchange = ir::info(v.op).effect == ir::effect::convergent;
        synchronises_ = synchronises_ || v.op == ir::op::uniform_load || is_atomic;
        is_flat_ = is_flat_ || is_exchange || v.op == ir::op::subgroup_lane || v.op == ir::op::subgroup_id || v.op == ir::op::subgroup_count;
    }
    for (const ir::block& b : m_.blocks)
        for (const ir::statement& s : b.statements) {
            has_fences_ = has_fences_ || std::holds_alternative<ir::fence>(s);
            synchronises_ = synchronises_ || has_fences_ || std::holds_alternative<ir::barrier>(s);
        }
}

std::vector<word> emitter::emit() {
    code_.require(spv::CapabilityShader);
    std::array<word, 2> model{spv::AddressingModelLogical, spv::MemoryModelGLSL450};
    if (f_.memory_model) {
        code_.require(spv::CapabilityVulkanMemoryModel, "SPV_KHR_vulkan_memory_model");
        model[1] = spv::MemoryModelVulkan;
    }
    if (f_.addresses) {
        code_.require(spv::CapabilityPhysicalStorageBufferAddresses, "SPV_KHR_physical_storage_buffer");
        model[0] = spv::AddressingModelPhysicalStorageBuffer64;
    }

    const id main = code_.next_id(), function = code_.intern_type(spv::OpTypeFunction, {void_type()});
    code_.add(section::function_head, spv::OpFunction, {void_type(), main, spv::FunctionControlMaskNone, function});
    current_label_ = code_.next_id();
    code_.add(section::function_head, spv::OpLabel, {current_label_});
    declare_interface();
    declare_variables();
    write_body();
    code_.add(section::body, spv::OpFunctionEnd, {});

    std::vector<word> entry{spv::ExecutionModelGLCompute, main};
    assembler::append_text(entry, "main");
    entry.insert(entry.end(), interface_.begin(), interface_.end());
    code_.add(section::entry, spv::OpEntryPoint, entry);
    auto size = workgroup_size_of(m_);
    if (is_flat_) size = {size[0] * size[1] * size[2], 1, 1};
    code_.add(section::modes, spv::OpExecutionMode, {main, spv::ExecutionModeLocalSize, size[0], size[1], size[2]});

    struct float_control {
        std::uint32_t bit_width;
        bool features::*nearest, features::*special, features::*denormals;
    };
    constexpr float_control controls[] = {
        {16, &features::nearest16, &features::keep_special16, &features::denormals16},
        {32, &features::nearest32, &features::keep_special32, &features::denormals32},
        {64, &features::nearest64, &features::keep_special64, &features::denormals64}};
    for (const float_control& c : controls) {
        if (!types_.contains(std::uint64_t{c.bit_width} << 32 | 0xf)) continue;  // no float of this width
        const auto mode = [&](bool supported, spv::Capability capability, spv::ExecutionMode m) {
            if (!supported) return;
            code_.require(capability, "SPV_KHR_float_controls");
            code_.add(section::modes, spv::OpExecutionMode, {main, static_cast<word>(m), c.bit_width});
        };
        mode(f_.*c.nearest, spv::CapabilityRoundingModeRTE, spv::ExecutionModeRoundingModeRTE);
        mode(f_.*c.denormals, spv::CapabilityDenormPreserve, spv::ExecutionModeDenormPreserve);
        mode(f_.*c.special && m_.math != ir::math_mode::fast, spv::CapabilitySignedZeroInfNanPreserve,
             spv::ExecutionModeSignedZeroInfNanPreserve);
    }
    if (debug_ == debug_lines::include) code_.name(main, m_.name);
    return code_.finish(model);
}

id emitter::extended(GLSLstd450 code, id type, std::initializer_list<id> operands) {
    std::vector<word> words{code_.import("GLSL.std.450"), static_cast<word>(code)};
    words.insert(words.end(), operands.begin(), operands.end());
    return code_.add_result(section::body, spv::OpExtInst, type, words);
}

id emitter::float_math(spv::Op code, id type, std::initializer_list<word> operands) {
    const id made = compute(code, type, operands);
    if (exact_now_) code_.decorate(made, spv::DecorationNoContraction);
    return made;
}

id emitter::integer(std::uint32_t width, std::uint64_t n) {
    if (width == 64) return code_.intern_constant(spv::OpConstant, integer_type(64), std::array{static_cast<word>(n), static_cast<word>(n >> 32)});
    return code_.intern_constant(spv::OpConstant, integer_type(width), std::array{static_cast<word>(n)});
}

id emitter::scalar_constant(ir::scalar_kind k, std::uint64_t bits) {
    if (k == ir::scalar_kind::boolean)
        return code_.intern_constant(bits != 0 ? spv::OpConstantTrue : spv::OpConstantFalse, bool_type(), {});
    if (!ir::is_float(k)) return integer(ir::bit_width(k), bits);
    const id type = float_type(ir::bit_width(k));
    if (ir::bit_width(k) == 64) return code_.intern_constant(spv::OpConstant, type, std::array{static_cast<word>(bits), static_cast<word>(bits >> 32)});
    return code_.intern_constant(spv::OpConstant, type, std::array{static_cast<word>(bits)});
}

id emitter::splat(id constant, id type, std::uint32_t width) {
    if (width == 1) return constant;
    const std::vector<word> parts(width, constant);
    return code_.intern_constant(spv::OpConstantComposite, type, parts);
}

id emitter::like(ir::type_id t, std::uint64_t n) {
    const ir::type& type = m_[t];
    return splat(scalar_constant(type.scalar, n), native_type(t), type.count);
}

id emitter::once(std::uint64_t key, const std::function<id()>& make) {
    const auto known = once_.find(key);
    if (known != once_.end()) return known->second;
    const id made = make();
    once_.emplace(key, made);
    return made;
}

void emitter::set_line(ir::location_id l) {
    if (debug_ == debug_lines::omit || !l || l == line_ || l.number >= m_.locations.size()) return;
    line_ = l;
    const ir::location& at = m_.locations[l.number];
    if (!at.file || at.file.number >= m_.files.size()) return;
    act(spv::OpLine, {code_.string(m_.files[at.file.number]), at.line, at.column});
}

std::vector<word> write_module(const ir::module& m, const features& f, debug_lines d) {
    check_capabilities(m, f);
    const lowered_module l = lower_module(m, f);
    return emitter(l, f, d).emit();
}

}  // namespace quern::spirv
