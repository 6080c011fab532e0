#include "backends/cpu/codegen/leaf_layout.hpp"

#include <algorithm>

namespace quern::cpu::codegen {
namespace {

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

}  // namespace

ir::type_id part_type(const ir::module& m, ir::type_id t, std::uint32_t member) {
    return m[t].kind == ir::type_kind::structure ? m.members_of(t)[member].type : m[t].element;
}

std::uint32_t leaf_count(const ir::module& m, ir::type_id t) {
    const ir::type& type = m[t];
    switch (type.kind) {
        case ir::type_kind::none: return 0;
        case ir::type_kind::scalar: return 1;
        case ir::type_kind::vector: return type.count;
        case ir::type_kind::array: return type.count * leaf_count(m, type.element);
        case ir::type_kind::structure: {
            std::uint32_t n = 0;
            for (const ir::member& each : m.members_of(t)) n += leaf_count(m, each.type);
            return n;
        }
    }
    return 0;
}

std::uint64_t layout::alignment_bytes(ir::type_id t) const {
    const ir::type& type = module_[t];
    if (is_host()) return type.alignment_bytes;
    switch (type.kind) {
        case ir::type_kind::none: return 1;
        case ir::type_kind::scalar:
        case ir::type_kind::vector: return scalar_bytes(type.scalar);
        case ir::type_kind::array: return alignment_bytes(type.element);
        case ir::type_kind::structure: {
            std::uint64_t alignment = 1;
            for (const ir::member& each : module_.members_of(t)) alignment = std::max(alignment, alignment_bytes(each.type));
            return alignment;
        }
    }
    return 1;
}

std::uint64_t layout::size_bytes(ir::type_id t) const {
    const ir::type& type = module_[t];
    if (is_host()) return type.size_bytes;
    switch (type.kind) {
        case ir::type_kind::none: return 0;
        case ir::type_kind::scalar: return scalar_bytes(type.scalar);
        case ir::type_kind::vector: return scalar_bytes(type.scalar) * type.count;
        case ir::type_kind::array: return size_bytes(type.element) * type.count;
        case ir::type_kind::structure: {
            if (type.count == 0) return 0;
            const std::uint32_t last = type.members.count - 1;
            return round_up(member_offset_bytes(t, last) + size_bytes(part_type(module_, t, last)), alignment_bytes(t));
        }
    }
    return 0;
}

std::uint64_t layout::stride_bytes(ir::type_id t) const {
    const ir::type& type = module_[t];
    return type.kind == ir::type_kind::vector ? scalar_bytes(type.scalar) : size_bytes(type.element);
}

std::uint64_t layout::member_offset_bytes(ir::type_id t, std::uint32_t member) const {
    if (module_[t].kind != ir::type_kind::structure) return member * stride_bytes(t);
    if (is_host()) return module_.members_of(t)[member].offset_bytes;
    std::uint64_t offset = 0;
    for (std::uint32_t i = 0;; ++i) {
        const ir::type_id type = part_type(module_, t, i);
        offset = round_up(offset, alignment_bytes(type));
        if (i == member) return offset;
        offset += size_bytes(type);
    }
}

void layout::append_leaves(ir::type_id t, std::uint64_t offset, std::vector<leaf>& out) const {
    const ir::type& type = module_[t];
    switch (type.kind) {
        case ir::type_kind::none: return;
        case ir::type_kind::scalar: out.push_back({type.scalar, offset}); return;
        case ir::type_kind::vector:
            for (std::uint32_t i = 0; i < type.count; ++i) out.push_back({type.scalar, offset + i * scalar_bytes(type.scalar)});
            return;
        case ir::type_kind::array: {
            const std::uint64_t stride = stride_bytes(t);
            for (std::uint32_t i = 0; i < type.count; ++i) append_leaves(type.element, offset + i * stride, out);
            return;
        }
        case ir::type_kind::structure:
            for (std::uint32_t i = 0; i < type.members.count; ++i)
                append_leaves(part_type(module_, t, i), offset + member_offset_bytes(t, i), out);
            return;
    }
}

std::vector<leaf> layout::leaves(ir::type_id t) const {
    std::vector<leaf> out;
    append_leaves(t, 0, out);
    return out;
}

}  // namespace quern::cpu::codegen
