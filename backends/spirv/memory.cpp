// The launch block, variables, buffers, and how places become pointers. Loads and stores take values apart down to
// scalars and vectors, so that registers never hold the host's layout.
#include <quern/error.hpp>

#include <algorithm>

#include "backends/spirv/emitter.hpp"

namespace quern::spirv {
namespace {

constexpr std::uint64_t key_of(std::uint32_t family, std::uint64_t number) { return std::uint64_t{family} << 48 | number; }
constexpr std::uint32_t family_buffer = 1, family_block = 2, family_indirect = 3;

}  // namespace

/// A block of elements in the host's layout.
id emitter::buffer_type(std::uint32_t parameter) {
    const ir::type_id element = m_.parameters[parameter].type;
    const id inner = type_in(element, bits_parameters_[parameter] ? representation::bits : representation::packed, true);
    const id array = code_.next_id(), whole = code_.next_id();
    code_.add(section::globals, spv::OpTypeRuntimeArray, {array, inner});
    code_.decorate(array, spv::DecorationArrayStride, {m_[element].size_bytes});
    code_.add(section::globals, spv::OpTypeStruct, {whole, array});
    code_.decorate(whole, spv::DecorationBlock);
    code_.decorate_member(whole, 0, spv::DecorationOffset, {0});
    return whole;
}

void emitter::declare_interface() {
    buffer_types_.resize(m_.parameters.size());
    using enum block_content;
    const bool by_address = f_.addresses;
    const spv::StorageClass storage = !block_.is_indirect ? spv::StorageClassPushConstant
                                      : by_address        ? spv::StorageClassPhysicalStorageBuffer
                                                          : spv::StorageClassStorageBuffer;
    std::vector<word> members;
    std::vector<std::uint32_t> offsets;
    const auto add = [&](id type, std::uint32_t offset) {
        members.push_back(type);
        offsets.push_back(offset);
    };
    for (const block_member& b : block_.members) {
        block_index_.push_back(static_cast<std::uint32_t>(members.size()));
        switch (b.content) {
            case base: case groups: case extent: {
                const std::uint32_t bytes = b.size_bytes / 3;
                for (std::uint32_t d = 0; d < 3; ++d) add(integer_type(8 * bytes), b.offset + d * bytes);
                break;
            }
            case address:
                buffer_types_[b.parameter] = pointer_type(spv::StorageClassPhysicalStorageBuffer, buffer_type(b.parameter));
                require_storage_of(m_.parameters[b.parameter].type, spv::StorageClassPhysicalStorageBuffer);
                add(integer_type(64), b.offset);  // SPIRV-Tools takes what a pointer member points to for part of the block
                break;
            case first_element: add(integer_type(32), b.offset); break;
            case count: add(integer_type(8 * b.size_bytes), b.offset); break;
            case value: {
                const ir::type_id type = m_.parameters[b.parameter].type;
                add(type_in(type, representation::packed, true), b.offset);
                require_storage_of(type, storage);
                break;
            }
        }
    }
    block_type_ = code_.next_id();
    std::vector<word> words{block_type_};
    words.insert(words.end(), members.begin(), members.end());
    code_.add(section::globals, spv::OpTypeStruct, words);
    code_.decorate(block_type_, spv::DecorationBlock);
    for (std::uint32_t i = 0; i < offsets.size(); ++i)
        code_.decorate_member(block_type_, i, spv::DecorationOffset, {offsets[i]});

    if (block_.is_indirect && by_address) {  // push constants hold the block's address
        const id outer = code_.next_id();
        code_.add(section::globals, spv::OpTypeStruct, {outer, integer_type(64)});
        code_.decorate(outer, spv::DecorationBlock);
        code_.decorate_member(outer, 0, spv::DecorationOffset, {0});
        block_variable_ = code_.add_result(section::globals, spv::OpVariable, pointer_type(spv::StorageClassPushConstant, outer),
                                           {spv::StorageClassPushConstant});
    } else {
        block_variable_ = code_.add_result(section::globals, spv::OpVariable, pointer_type(storage, block_type_),
                                           {static_cast<word>(storage)});
        if (storage == spv::StorageClassStorageBuffer) {
            code_.decorate(block_variable_, spv::DecorationDescriptorSet, {0});
            code_.decorate(block_variable_, spv::DecorationBinding, {0});
            code_.decorate(block_variable_, spv::DecorationNonWritable);
        }
    }
    if (by_address) return;

    word binding = 1;
    for (std::uint32_t i = 0; i < m_.parameters.size(); ++i) {
        const ir::parameter& p = m_.parameters[i];
        if (p.kind != ir::parameter_kind::buffer) continue;
        const id whole = buffer_type(i);
        if (p.access == ir::access::read) code_.decorate_member(whole, 0, spv::DecorationNonWritable);
        if (!f_.memory_model && synchronises_ && p.access != ir::access::read) code_.decorate_member(whole, 0, spv::DecorationCoherent);
        require_storage_of(p.type, spv::StorageClassStorageBuffer);
        descriptors_[i] = code_.add_result(section::globals, spv::OpVariable,
                                           pointer_type(spv::StorageClassStorageBuffer, whole), {spv::StorageClassStorageBuffer});
        code_.decorate(descriptors_[i], spv::DecorationDescriptorSet, {0});
        code_.decorate(descriptors_[i], spv::DecorationBinding, {binding++});
        if (p.aliased) code_.decorate(descriptors_[i], spv::DecorationAliased);
    }
}

void emitter::declare_variables() {
    for (std::uint32_t i = 0; i < m_.variables.size(); ++i) {
        const ir::variable& v = m_.variables[i];
        const bool is_shared = v.storage == ir::storage::shared;
        const representation form = bits_variables_[i] ? representation::bits : representation::native;
        const spv::StorageClass storage = is_shared ? spv::StorageClassWorkgroup : spv::StorageClassFunction;
        const id type = pointer_type(storage, type_in(v.type, form, false));
        const id made = code_.add_result(is_shared ? section::globals : section::function_head, spv::OpVariable, type,
                                         {static_cast<word>(storage)});
        variables_[i] = {made, storage, form, false, v.type};
        if (debug_ == debug_lines::include && i < m_.variable_names.size() && !m_.variable_names[i].empty())
            code_.name(made, m_.variable_names[i]);
    }
}

bool emitter::is_shared_between_invocations(spv::StorageClass s) const {
    return s == spv::StorageClassWorkgroup || s == spv::StorageClassPhysicalStorageBuffer || s == spv::StorageClassStorageBuffer;
}

void emitter::add_access_words(std::vector<word>& words, const pointer& p, std::uint32_t alignment) const {
    word mask = 0;
    const bool is_physical = p.storage == spv::StorageClassPhysicalStorageBuffer;
    if (is_physical) mask |= spv::MemoryAccessAlignedMask;
    if (f_.memory_model && synchronises_ && is_shared_between_invocations(p.storage)) mask |= spv::MemoryAccessNonPrivatePointerMask;
    if (f_.fence_suspends && has_fences_ && is_shared_between_invocations(p.storage)) mask |= spv::MemoryAccessVolatileMask;
    if (mask == 0) return;
    words.push_back(mask);
    if (is_physical) words.push_back(alignment);
}

id emitter::block_member_pointer(const block_member& b, id type, std::uint32_t component) {
    const auto number = static_cast<std::size_t>(&b - block_.members.data());
    const std::uint32_t index = block_index_[number] + component;
    if (block_.is_indirect && f_.addresses) {
        const id base = once(key_of(family_indirect, 0), [&] {
            const id outer = pointer_type(spv::StorageClassPhysicalStorageBuffer, block_type_);
            const id at = code_.add_result(section::prologue, spv::OpAccessChain,
                                           pointer_type(spv::StorageClassPushConstant, integer_type(64)), {block_variable_, u32(0)});
            const id address = code_.add_result(section::prologue, spv::OpLoad, integer_type(64), {at});
            return code_.add_result(section::prologue, spv::OpConvertUToPtr, outer, {address});
        });
        return code_.add_result(section::prologue, spv::OpAccessChain, pointer_type(spv::StorageClassPhysicalStorageBuffer, type),
                                {base, u32(index)});
    }
    const spv::StorageClass storage = block_.is_indirect ? spv::StorageClassStorageBuffer : spv::StorageClassPushConstant;
    return code_.add_result(section::prologue, spv::OpAccessChain, pointer_type(storage, type), {block_variable_, u32(index)});
}

id emitter::block_load(const block_member& b, id type, std::uint32_t alignment, std::uint32_t component) {
    std::vector<word> words{block_member_pointer(b, type, component)};
    if (block_.is_indirect && f_.addresses) {
        words.push_back(spv::MemoryAccessAlignedMask);
        words.push_back(alignment);
    }
    return code_.add_result(section::prologue, spv::OpLoad, type, words);
}

/// Component `dimension` of base, groups or extent.
id emitter::block_number(block_content c, std::uint32_t dimension) {
    return once(key_of(family_block, std::uint64_t{static_cast<std::uint8_t>(c)} << 8 | dimension), [&] {
        const block_member& b = *block_.find(c);
        const std::uint32_t bytes = b.size_bytes / 3;
        return block_load(b, integer_type(8 * bytes), bytes, dimension);
    });
}

id emitter::buffer_pointer(std::uint32_t parameter) {
    if (!f_.addresses) return descriptors_[parameter];
    return once(key_of(family_buffer, parameter), [&] {
        const block_member& b = *block_.find(block_content::address, parameter);
        return code_.add_result(section::prologue, spv::OpConvertUToPtr, buffer_types_[parameter], {block_load(b, integer_type(64), 8)});
    });
}

representation emitter::form_of(const ir::place& p) const {
    if (p.root == ir::root_kind::parameter) return bits_parameters_[p.number] ? representation::bits : representation::packed;
    return bits_variables_[p.number] ? representation::bits : representation::native;
}

id emitter::index_operand(ir::value_id v, bool is_buffer) {
    const id index = ids_[v.number];
    // SPIR-V takes indices as signed: an unsigned one of a buffer may be larger than what 32 bits hold.
    if (is_buffer && f_.addresses && type_of(v).scalar == ir::scalar_kind::u32 && m_[v].op != ir::op::constant)
        return compute(spv::OpUConvert, integer_type(64), {index});
    return index;
}

pointer emitter::resolve(ir::place_id p) {
    const ir::place& place = m_[p];
    pointer at;
    std::vector<word> words;
    bool at_buffer = place.root == ir::root_kind::parameter;
    if (at_buffer) {
        at = {buffer_pointer(place.number), f_.addresses ? spv::StorageClassPhysicalStorageBuffer : spv::StorageClassStorageBuffer,
              form_of(place), true, m_.parameters[place.number].type};
        words = {at.address, u32(0)};
    } else {
        at = variables_[place.number];
        words = {at.address};
    }
    for (const ir::step& s : m_.steps_of(p)) {
        const ir::type& whole = m_[at.type];
        if (at_buffer) {
            id index = index_operand(s.index, true);
            if (!f_.addresses) {
                const id first = once(key_of(family_block, 0x1'0000 + place.number), [&] {
                    return block_load(*block_.find(block_content::first_element, place.number), integer_type(32), 4);
                });
                const std::uint32_t width = ir::bit_width(type_of(s.index).scalar);
                if (width == 64) index = compute(spv::OpUConvert, integer_type(32), {index});
                index = compute(spv::OpIAdd, integer_type(32), {index, first});
            }
            words.push_back(index);
        } else if (s.kind == ir::step::kind::member) {
            words.push_back(u32(s.member));
            at.type = whole.kind == ir::type_kind::structure ? m_.members_of(at.type)[s.member].type : whole.element;
        } else {
            words.push_back(index_operand(s.index, false));
            at.type = whole.element;
        }
        at_buffer = false;
    }
    if (words.size() == 1) return at;
    const id type = pointer_type(at.storage, type_in(at.type, at.form, at.is_packed));
    at.address = code_.add_result(section::body, spv::OpAccessChain, type, words);
    return at;
}

pointer emitter::part(const pointer& whole, std::uint32_t number) {
    pointer p = whole;
    const ir::type& type = m_[whole.type];
    p.type = type.kind == ir::type_kind::structure ? m_.members_of(whole.type)[number].type : type.element;
    p.address = compute(spv::OpAccessChain, pointer_type(p.storage, type_in(p.type, p.form, p.is_packed)), {whole.address, u32(number)});
    return p;
}

id emitter::load(const pointer& from) {
    const ir::type& type = m_[from.type];
    if (type.kind == ir::type_kind::array || type.kind == ir::type_kind::structure) {
        std::vector<word> parts;
        for (std::uint32_t i = 0; i < type.count; ++i) parts.push_back(load(part(from, i)));
        return code_.add_result(section::body, spv::OpCompositeConstruct, native_type(from.type), parts);
    }
    const id stored = type_in(from.type, from.form, from.is_packed);
    std::vector<word> words{from.address};
    add_access_words(words, from, ir::size_bytes(type.scalar));
    const id loaded = code_.add_result(section::body, spv::OpLoad, stored, words);
    if (type.scalar == ir::scalar_kind::boolean && from.is_packed) {
        const id wide = compute(spv::OpUConvert, integer_type(32, type.count), {loaded});
        return compute(spv::OpINotEqual, bool_type(type.count), {wide, splat(u32(0), integer_type(32, type.count), type.count)});
    }
    if (from.form == representation::bits && ir::is_float(type.scalar))
        return compute(spv::OpBitcast, native_type(from.type), {loaded});
    return loaded;
}

void emitter::store(const pointer& to, id value) {
    const ir::type& type = m_[to.type];
    if (type.kind == ir::type_kind::array || type.kind == ir::type_kind::structure) {
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const pointer p = part(to, i);
            store(p, compute(spv::OpCompositeExtract, native_type(p.type), {value, i}));
        }
        return;
    }
    const id stored = type_in(to.type, to.form, to.is_packed);
    if (type.scalar == ir::scalar_kind::boolean && to.is_packed) {
        const id wide = integer_type(32, type.count);
        const id bits = compute(spv::OpSelect, wide, {value, splat(u32(1), wide, type.count), splat(u32(0), wide, type.count)});
        value = compute(spv::OpUConvert, stored, {bits});
    } else if (to.form == representation::bits && ir::is_float(type.scalar)) {
        value = compute(spv::OpBitcast, stored, {value});
    }
    std::vector<word> words{to.address, value};
    add_access_words(words, to, ir::size_bytes(type.scalar));
    code_.add(section::body, spv::OpStore, words);
}

id emitter::memory_load(ir::value_id v) { return load(resolve(m_.place_of(v))); }

id emitter::uniform_load(ir::value_id v) {
    barrier();
    const id loaded = load(resolve(m_.place_of(v)));
    barrier();
    return loaded;
}

}  // namespace quern::spirv
