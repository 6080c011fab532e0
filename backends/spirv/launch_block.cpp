#include "backends/spirv/launch_block.hpp"

#include <algorithm>

namespace quern::spirv {
namespace {

constexpr std::uint32_t align_up(std::uint32_t n, std::uint32_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}

/// The narrowest scalar inside a type; a bool is a byte.
std::uint32_t narrowest_bytes(const ir::module& m, ir::type_id t) {
    const ir::type& type = m[t];
    switch (type.kind) {
        case ir::type_kind::none: return 8;
        case ir::type_kind::scalar: case ir::type_kind::vector: return ir::size_bytes(type.scalar);
        case ir::type_kind::array: return narrowest_bytes(m, type.element);
        case ir::type_kind::structure: {
            std::uint32_t least = 8;
            for (const ir::member& inner : m.members_of(t)) least = std::min(least, narrowest_bytes(m, inner.type));
            return least;
        }
    }
    return 8;
}

/// What of the launch the module asks for.
struct questions {
    bool groups = false, extent = false, wide = false;
    std::vector<std::uint32_t> size_bytes;  ///< of buffer_size, by parameter; 0: not asked

    explicit questions(const ir::module& m) : extent(needs_guard(m)), size_bytes(m.parameters.size()) {
        for (const ir::value& v : m.values) {
            const bool is_wide = m.types[v.type.number].size_bytes == 8;
            if (v.op == ir::op::workgroup_count) groups = true;
            if (v.op == ir::op::extent) extent = true;
            if (v.op == ir::op::global_id || v.op == ir::op::extent) wide = wide || is_wide;
            if (v.op == ir::op::buffer_size) size_bytes[v.immediate] = std::max(size_bytes[v.immediate], is_wide ? 8u : 4u);
        }
    }
};

}  // namespace

const block_member* launch_block::find(block_content c, std::uint32_t parameter) const {
    const auto at = std::find_if(members.begin(), members.end(),
                                 [&](const block_member& m) { return m.content == c && m.parameter == parameter; });
    return at == members.end() ? nullptr : &*at;
}

launch_block make_launch_block(const ir::module& m, const features& f) {
    using enum block_content;
    launch_block b;
    const auto add = [&](block_content c, std::uint32_t parameter, std::uint32_t size, std::uint32_t alignment,
                         std::uint32_t source) {
        const std::uint32_t offset = align_up(b.size_bytes, alignment);
        b.members.push_back({c, parameter, offset, size, source});
        b.size_bytes = offset + size;
    };
    const questions asked(m);
    b.is_wide = asked.wide;
    add(base, 0, 12, 4, 0);
    if (asked.groups) add(groups, 0, 12, 4, 0);
    if (asked.extent) add(extent, 0, b.is_wide ? 24 : 12, b.is_wide ? 8 : 4, 0);
    std::uint32_t buffer = 0, values_bytes = 0, narrowest = 8;
    for (std::uint32_t i = 0; i < m.parameters.size(); ++i) {
        const ir::parameter& p = m.parameters[i];
        const ir::type& t = m[p.type];
        if (p.kind == ir::parameter_kind::value) {
            values_bytes = align_up(values_bytes, t.alignment_bytes);
            add(value, i, t.size_bytes, t.alignment_bytes, values_bytes);
            values_bytes += t.size_bytes;
            narrowest = std::min(narrowest, narrowest_bytes(m, p.type));
            continue;
        }
        if (f.style() == memory_style::addresses) add(address, i, 8, 8, buffer);
        else add(first_element, i, 4, 4, buffer);
        if (const std::uint32_t size = asked.size_bytes[i]) add(count, i, size, size, buffer);
        ++buffer;
    }
    b.size_bytes = align_up(b.size_bytes, 8);
    b.is_indirect = b.size_bytes > f.push_bytes || (narrowest == 1 && !f.push8) || (narrowest <= 2 && !f.push16);
    return b;
}

std::array<std::uint32_t, 3> workgroup_size_of(const ir::module& m) {
    if (m.workgroup_size[0] != 0) return m.workgroup_size;
    return {open_workgroup_size, 1, 1};
}

bool needs_guard(const ir::module& m) { return m.launch == ir::launch_kind::over && !m.cooperative; }

}  // namespace quern::spirv
