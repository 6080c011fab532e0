#include "backends/reference/memory.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <quern/error.hpp>

namespace quern::reference {
namespace {

/// The place's root with no step taken yet. The element index of a buffer is a step, but buffers are no type.
spot root_of(const memory_view& m, const ir::place& p) {
    if (p.root == ir::root_kind::variable) {
        const ir::variable& variable = m.kernel.module().variables[p.number];
        const auto storage = variable.storage == ir::storage::local ? m.local : m.shared;
        return {variable.type, nullptr, storage.data() + m.kernel.variable_first(p.number)};
    }
    const ir::parameter& parameter = m.kernel.module().parameters[p.number];
    const std::uint32_t position = m.kernel.parameter_position(p.number);
    std::byte* bytes = parameter.kind == ir::parameter_kind::buffer ? m.buffers[position].data() : m.values.data() + position;
    return {parameter.type, bytes, nullptr};
}

void enter_part(const memory_view& m, spot& s, std::uint32_t part) {
    const layouts& types = m.kernel.types();
    if (s.bytes != nullptr) s.bytes += types.part_offset_bytes(s.type, part);
    else s.components += types.part_first(s.type, part);
    s.type = types.part_type(s.type, part);
}

}  // namespace

std::uint64_t element_count(const memory_view& m, std::uint32_t parameter) {
    const ir::module& module = m.kernel.module();
    const std::uint32_t size = module[module.parameters[parameter].type].size_bytes;
    return m.buffers[m.kernel.parameter_position(parameter)].size() / size;
}

std::uint64_t index_value(const memory_view& m, ir::value_id v) {
    const std::uint64_t bits = m.registers[m.kernel.slot(v)];
    if (m.kernel.module().type_of(v).scalar != ir::scalar_kind::i32) return bits;
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)});
}

void fail_range(const decoded_kernel& k, ir::location_id where, const std::string& what, std::uint64_t index,
                std::uint64_t bound) {
    throw device_error(fmt::format("{}index {} is out of range of {}, which has {} elements", k.describe(where),
                                   static_cast<std::int64_t>(index), what, bound));
}

spot resolve(const memory_view& m, ir::place_id p, ir::location_id where) {
    const ir::module& module = m.kernel.module();
    const ir::place& place = module[p];
    spot s = root_of(m, place);
    bool at_buffer = place.root == ir::root_kind::parameter &&
                     module.parameters[place.number].kind == ir::parameter_kind::buffer;
    for (const ir::step& step : module.steps_of(p)) {
        const std::uint64_t index = step.kind == ir::step::kind::index ? index_value(m, step.index) : step.member;
        const std::uint64_t bound = at_buffer ? element_count(m, place.number) : m.kernel.types().parts(s.type);
        if (index >= bound) fail_range(m.kernel, where, m.kernel.root_name(place), index, bound);
        if (at_buffer) s.bytes += index * module[s.type].size_bytes;
        else enter_part(m, s, static_cast<std::uint32_t>(index));
        at_buffer = false;
    }
    if (at_buffer)
        throw internal_error(m.kernel.describe(where) + "a place names a whole buffer; please report this with the IR dump");
    return s;
}

void read(const memory_view& m, const spot& from, std::uint64_t* to) {
    if (from.bytes != nullptr) m.kernel.types().read(from.type, from.bytes, to);
    else std::copy_n(from.components, m.kernel.types().components(from.type), to);
}

void write(const memory_view& m, const std::uint64_t* from, const spot& to) {
    if (to.bytes != nullptr) m.kernel.types().write(to.type, from, to.bytes);
    else std::copy_n(from, m.kernel.types().components(to.type), to.components);
}

}  // namespace quern::reference
