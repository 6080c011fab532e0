// Types of the IR as SPIR-V types: as they are in registers and variables, and as they lie in the host's layout.
#include <quern/error.hpp>

#include "backends/spirv/emitter.hpp"

namespace quern::spirv {

id emitter::bool_type(std::uint32_t width) {
    const id scalar = code_.intern_type(spv::OpTypeBool, {});
    return width == 1 ? scalar : code_.intern_type(spv::OpTypeVector, {scalar, width});
}

id emitter::integer_type(std::uint32_t bit_width, std::uint32_t width, use u) {
    if (u == use::arithmetic) {
        if (bit_width == 8) code_.require(spv::CapabilityInt8);
        if (bit_width == 16) code_.require(spv::CapabilityInt16);
        if (bit_width == 64) code_.require(spv::CapabilityInt64);
    }
    const id scalar = code_.intern_type(spv::OpTypeInt, {bit_width, 0});
    return width == 1 ? scalar : code_.intern_type(spv::OpTypeVector, {scalar, width});
}

id emitter::float_type(std::uint32_t bit_width, std::uint32_t width) {
    if (bit_width == 16) code_.require(spv::CapabilityFloat16);
    if (bit_width == 64) code_.require(spv::CapabilityFloat64);
    const id scalar = code_.intern_type(spv::OpTypeFloat, {bit_width});
    types_.emplace(std::uint64_t{bit_width} << 32 | 0xf, scalar);
    return width == 1 ? scalar : code_.intern_type(spv::OpTypeVector, {scalar, width});
}

id emitter::scalar_type(ir::scalar_kind k, std::uint32_t width) {
    if (k == ir::scalar_kind::boolean) return bool_type(width);
    return ir::is_float(k) ? float_type(ir::bit_width(k), width) : integer_type(ir::bit_width(k), width);
}

id emitter::type_in(ir::type_id t, representation form, bool packed) {
    const std::uint64_t key = std::uint64_t{t.number} << 8 | std::uint64_t{static_cast<std::uint8_t>(form)} << 4 | (packed ? 1 : 0);
    const auto known = types_.find(key | std::uint64_t{1} << 63);
    if (known != types_.end()) return known->second;
    const id made = make_type(t, form, packed);
    types_.emplace(key | std::uint64_t{1} << 63, made);
    return made;
}

id emitter::make_type(ir::type_id t, representation form, bool packed) {
    const ir::type& type = m_[t];
    switch (type.kind) {
        case ir::type_kind::none: return void_type();
        case ir::type_kind::scalar:
        case ir::type_kind::vector:
            if (type.scalar == ir::scalar_kind::boolean && packed) return integer_type(8, type.count, use::storage);
            if (ir::is_float(type.scalar) && form == representation::bits)
                return integer_type(ir::bit_width(type.scalar), type.count);
            return scalar_type(type.scalar, type.count);
        case ir::type_kind::array: {
            const id element = type_in(type.element, form, packed), length = u32(type.count);
            if (!packed) return code_.intern_type(spv::OpTypeArray, {element, length});
            const id made = code_.next_id();  // decorated, so never shared
            code_.add(section::globals, spv::OpTypeArray, {made, element, length});
            code_.decorate(made, spv::DecorationArrayStride, {m_[type.element].size_bytes});
            return made;
        }
        case ir::type_kind::structure: {
            std::vector<word> words{0};
            for (const ir::member& member : m_.members_of(t)) words.push_back(type_in(member.type, form, packed));
            const id made = words[0] = code_.next_id();
            code_.add(section::globals, spv::OpTypeStruct, words);
            word number = 0;
            for (const ir::member& member : m_.members_of(t)) {
                if (packed) code_.decorate_member(made, number, spv::DecorationOffset, {member.offset_bytes});
                ++number;
            }
            return made;
        }
    }
    return 0;
}

void emitter::require_storage(std::uint32_t bit_width, spv::StorageClass s) {
    const bool is_push = s == spv::StorageClassPushConstant;
    if (bit_width == 8)
        code_.require(is_push ? spv::CapabilityStoragePushConstant8 : spv::CapabilityStorageBuffer8BitAccess, "SPV_KHR_8bit_storage");
    if (bit_width == 16)
        code_.require(is_push ? spv::CapabilityStoragePushConstant16 : spv::CapabilityStorageBuffer16BitAccess,
                      "SPV_KHR_16bit_storage");
}

void emitter::require_storage_of(ir::type_id t, spv::StorageClass s) {
    const ir::type& type = m_[t];
    switch (type.kind) {
        case ir::type_kind::none: return;
        case ir::type_kind::scalar: case ir::type_kind::vector:
            return require_storage(8 * ir::size_bytes(type.scalar), s);
        case ir::type_kind::array: return require_storage_of(type.element, s);
        case ir::type_kind::structure:
            for (const ir::member& member : m_.members_of(t)) require_storage_of(member.type, s);
    }
}

}  // namespace quern::spirv
