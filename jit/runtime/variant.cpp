#include "jit/runtime/variant.hpp"

#include <quern/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "jit/runtime/device_state.hpp"

namespace quern::jit {
namespace {

bool is_64_bit(const ir::module& m, const ir::value& v) { return ir::bit_width(m.types[v.type.number].scalar) == 64; }

constexpr std::uint32_t align_up(std::uint32_t n, std::uint32_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}

bool is_position(ir::op code) {
    constexpr ir::op positions[] = {ir::op::global_id, ir::op::local_id, ir::op::workgroup_id, ir::op::workgroup_count,
                                    ir::op::extent};
    return std::ranges::find(positions, code) != std::end(positions);
}

bool has_workgroup_size(const ir::module& m) { return m.workgroup_size[0] != 0; }

}  // namespace

variant::variant(const quern_detail::device_state& d, ir::launch_kind kind)
    : device_(d.shared_device()), device_number_(d.number()), launch(kind) {}

bool variant::is_for(const quern_detail::device_state& d, ir::launch_kind kind) const noexcept {
    return device_number_ == d.number() && launch == kind;
}

launch_facts find_launch_facts(const ir::module& m) {
    launch_facts f;
    f.kernel_name = m.name;
    f.workgroup_size = m.workgroup_size;
    f.covers = m.covers;
    f.is_cooperative = m.cooperative;
    for (const ir::parameter& p : m.parameters) {
        const ir::type& t = m[p.type];
        parameter_layout layout{p.kind, p.access != ir::access::read, p.aliased, false, false, t.size_bytes, 0};
        if (p.kind == ir::parameter_kind::buffer) {
            ++f.buffer_count;
        } else {
            layout.is_written = false;
            layout.value_offset = align_up(f.values_bytes, t.alignment_bytes);
            f.values_bytes = layout.value_offset + t.size_bytes;
        }
        f.parameters.push_back(layout);
    }
    for (std::uint32_t d = 0; d < 3; ++d)
        if (m.workgroup_size[d] > 1 || (d < 2 && m.covers[d] != 0)) f.dimensions = d + 1;
    for (const ir::value& v : m.values) {
        if (is_position(v.op)) f.dimensions = std::max(f.dimensions, static_cast<std::uint32_t>(v.immediate) + 1);
        if (v.op == ir::op::buffer_size) {
            parameter_layout& p = f.parameters[v.immediate];
            (is_64_bit(m, v) ? p.has_wide_size : p.has_narrow_size) = true;
        } else if (v.op == ir::op::global_id && is_64_bit(m, v)) {
            f.has_wide_ids = true;
        }
    }
    return f;
}

void check_against_target(const ir::module& m, const target_info& t, std::string_view where) {
    const auto fail = [&](const std::string& text) {
        throw usage_error(fmt::format("{}{}kernel \"{}\": {}", where, where.empty() ? "" : ": ", m.name, text));
    };
    if (!has_workgroup_size(m)) {
        if (m.cooperative)
            fail("it uses local_id, workgroup_id, shared memory, barriers or subgroup operations, so it must call "
                 "workgroup_size(…)");
        switch (m.launch) {
            case ir::launch_kind::over: break;
            case ir::launch_kind::groups: fail("a launch over groups{…} needs a kernel that calls workgroup_size(…)"); break;
            case ir::launch_kind::tiles: fail("a launch over tiles{…} needs a kernel that calls workgroup_size(…)"); break;
        }
    }
    if (m.launch == ir::launch_kind::tiles && m.covers[0] == 0)
        fail("a launch over tiles{m, n} needs a kernel that says what a workgroup covers: covers(bm, bn)");

    const std::uint64_t invocations =
        std::uint64_t{m.workgroup_size[0]} * m.workgroup_size[1] * m.workgroup_size[2];
    if (invocations > t.max_workgroup_size)
        fail(fmt::format("a workgroup of {} x {} x {} = {} invocations is larger than the {} that {} allows",
                         m.workgroup_size[0], m.workgroup_size[1], m.workgroup_size[2], invocations,
                         t.max_workgroup_size, t.name));

    std::uint64_t shared_bytes = 0;
    for (const ir::variable& v : m.variables)
        if (v.storage == ir::storage::shared) shared_bytes += m[v.type].size_bytes;
    if (shared_bytes > t.shared_memory_bytes)
        fail(fmt::format("it needs {} bytes of shared memory; {} has {} per workgroup", shared_bytes, t.name,
                         t.shared_memory_bytes));
}

}  // namespace quern::jit
