// Where an invocation is, and how large things are: built-ins and the launch block, loaded once in the entry block.
#include "backends/spirv/emitter.hpp"

namespace quern::spirv {
namespace {

constexpr std::uint64_t builtin_family = std::uint64_t{5} << 48, position_family = std::uint64_t{6} << 48;

}  // namespace

id emitter::builtin(spv::BuiltIn b, id type) {
    return once(builtin_family | static_cast<std::uint64_t>(b) << 8, [&] {
        const id variable = code_.add_result(section::globals, spv::OpVariable, pointer_type(spv::StorageClassInput, type),
                                             {spv::StorageClassInput});
        code_.decorate(variable, spv::DecorationBuiltIn, {static_cast<word>(b)});
        interface_.push_back(variable);
        return code_.add_result(section::prologue, spv::OpLoad, type, {variable});
    });
}

id emitter::builtin_component(spv::BuiltIn b, std::uint32_t dimension) {
    return once(builtin_family | static_cast<std::uint64_t>(b) << 8 | (dimension + 1), [&] {
        const id all = builtin(b, integer_type(32, 3));
        return code_.add_result(section::prologue, spv::OpCompositeExtract, integer_type(32), {all, dimension});
    });
}

/// Of a flat workgroup by division.
id emitter::local_position(std::uint32_t dimension) {
    const auto size = workgroup_size_of(m_);
    if (!is_flat_ || (size[1] == 1 && size[2] == 1)) return builtin_component(spv::BuiltInLocalInvocationId, dimension);
    return once(position_family | 0x2'0000 | dimension, [&] {
        const auto make = [&](spv::Op code, id a, std::uint32_t b) { return code_.add_result(section::prologue, code, u32_type(), {a, u32(b)}); };
        const id flat = builtin_component(spv::BuiltInLocalInvocationId, 0);
        if (dimension == 0) return make(spv::OpUMod, flat, size[0]);
        if (dimension == 1) return make(spv::OpUMod, make(spv::OpUDiv, flat, size[0]), size[1]);
        return make(spv::OpUDiv, flat, size[0] * size[1]);
    });
}

/// Workgroups of a split launch count from the part's first one.
id emitter::global_position(std::uint32_t dimension, std::uint32_t bit_width) {
    return once(position_family | std::uint64_t{bit_width} << 8 | dimension, [&] {
        const auto make = [&](spv::Op code, id type, std::initializer_list<word> words) {
            return code_.add_result(section::prologue, code, type, words);
        };
        const id type = integer_type(bit_width);
        id group = make(spv::OpIAdd, u32_type(), {builtin_component(spv::BuiltInWorkgroupId, dimension),
                                                    block_number(block_content::base, dimension)});
        id local = local_position(dimension);
        if (bit_width == 64) {
            group = make(spv::OpUConvert, type, {group});
            local = make(spv::OpUConvert, type, {local});
        }
        const id first = make(spv::OpIMul, type, {group, integer(bit_width, workgroup_size_of(m_)[dimension])});
        return make(spv::OpIAdd, type, {first, local});
    });
}

id emitter::position(ir::value_id v) {
    const auto number = static_cast<std::uint32_t>(m_[v].immediate);
    const std::uint32_t width = ir::bit_width(type_of(v).scalar);
    const auto prologue = [&](spv::Op code, std::uint32_t bit_width, std::initializer_list<word> words) {
        return code_.add_result(section::prologue, code, integer_type(bit_width), words);
    };
    const auto sized = [&](id x, std::uint32_t from) {
        return from == width ? x : prologue(spv::OpUConvert, width, {x});
    };
    const id one = u32_type();
    switch (m_[v].op) {
        case ir::op::global_id: return global_position(number, width);
        case ir::op::local_id: return sized(local_position(number), 32);
        case ir::op::workgroup_id:
            return sized(prologue(spv::OpIAdd, 32, {builtin_component(spv::BuiltInWorkgroupId, number),
                                                    block_number(block_content::base, number)}), 32);
        case ir::op::workgroup_count: return sized(block_number(block_content::groups, number), 32);
        case ir::op::extent: return sized(block_number(block_content::extent, number), block_.is_wide ? 64 : 32);
        case ir::op::subgroup_size:
            code_.require(spv::CapabilityGroupNonUniform);
            return sized(builtin(spv::BuiltInSubgroupSize, one), 32);
        case ir::op::subgroup_lane:
            code_.require(spv::CapabilityGroupNonUniform);
            return sized(builtin(spv::BuiltInSubgroupLocalInvocationId, one), 32);
        case ir::op::subgroup_id:
            code_.require(spv::CapabilityGroupNonUniform);
            return sized(builtin(spv::BuiltInSubgroupId, one), 32);
        case ir::op::subgroup_count: {  // lavapipe's own count is not to be trusted
            code_.require(spv::CapabilityGroupNonUniform);
            const auto size = workgroup_size_of(m_);
            const id lanes = builtin(spv::BuiltInSubgroupSize, one);
            const id last = prologue(spv::OpIAdd, 32, {lanes, u32(size[0] * size[1] * size[2] - 1)});
            return sized(prologue(spv::OpUDiv, 32, {last, lanes}), 32);
        }
        default: break;  // buffer_size, the one that remains
    }
    const block_member& b = *block_.find(block_content::count, number);
    const id count = once(position_family | 0x1'0000 | number, [&] { return block_load(b, integer_type(8 * b.size_bytes), b.size_bytes); });
    return 8 * b.size_bytes > width ? prologue(spv::OpUConvert, width, {count}) : sized(count, 8 * b.size_bytes);
}

}  // namespace quern::spirv
