#include "backends/reference/layout.hpp"

#include <cstring>

namespace quern::reference {

layouts::layouts(const ir::module& m) : module_(m), leaves_(m.types.size()) {
    for (std::uint32_t t = 0; t < m.types.size(); ++t) add({t});
}

void layouts::add(ir::type_id t) {
    std::vector<leaf>& row = leaves_[t.number];
    if (!row.empty()) return;
    const ir::type& type = module_[t];
    switch (type.kind) {
        case ir::type_kind::none: return;
        case ir::type_kind::scalar: row = {{type.scalar, 0}}; return;
        case ir::type_kind::vector:
            for (std::uint32_t i = 0; i < type.count; ++i) row.push_back({type.scalar, i * ir::size_bytes(type.scalar)});
            return;
        case ir::type_kind::array:
        case ir::type_kind::structure:
            for (std::uint32_t i = 0; i < type.count; ++i) {
                const ir::type_id part = part_type(t, i);
                add(part);
                for (const leaf& l : leaves_[part.number])
                    row.push_back({l.kind, part_offset_bytes(t, i) + l.offset_bytes});
            }
            return;
    }
}

ir::type_id layouts::part_type(ir::type_id t, std::uint32_t part) const {
    const ir::type& type = module_[t];
    return type.kind == ir::type_kind::structure ? module_.members_of(t)[part].type : type.element;
}

std::uint32_t layouts::part_offset_bytes(ir::type_id t, std::uint32_t part) const {
    const ir::type& type = module_[t];
    return type.kind == ir::type_kind::structure ? module_.members_of(t)[part].offset_bytes
                                                 : part * module_[type.element].size_bytes;
}

std::uint32_t layouts::part_first(ir::type_id t, std::uint32_t part) const {
    if (module_[t].kind != ir::type_kind::structure) return part * components(module_[t].element);
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < part; ++i) first += components(part_type(t, i));
    return first;
}

void layouts::read(ir::type_id t, const std::byte* from, std::uint64_t* to) const {
    for (const leaf& l : leaves(t)) {
        *to = 0;
        std::memcpy(to, from + l.offset_bytes, ir::size_bytes(l.kind));
        if (l.kind == ir::scalar_kind::boolean) *to = *to != 0;
        ++to;
    }
}

void layouts::write(ir::type_id t, const std::uint64_t* from, std::byte* to) const {
    for (const leaf& l : leaves(t)) std::memcpy(to + l.offset_bytes, from++, ir::size_bytes(l.kind));
}

}  // namespace quern::reference
