#include "backends/cuda/kernel_facts.hpp"

#include <algorithm>
#include <bit>

namespace quern::cuda {
namespace {

constexpr std::uint32_t align_up(std::uint32_t n, std::uint32_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}

/// Which widths a kernel asks for of a leaf and dimension (or parameter).
struct leaf_use {
    bool narrow = false, wide = false;
    bool any() const { return narrow || wide; }
};

leaf_use find_use(const ir::module& m, ir::op code, std::uint64_t immediate) {
    leaf_use use;
    for (const ir::value& v : m.values)
        if (v.op == code && v.immediate == immediate)
            (ir::bit_width(m[v.type].scalar) == 64 ? use.wide : use.narrow) = true;
    return use;
}

void find_block(const ir::module& m, kernel_facts& f) {
    f.block = m.workgroup_size;
    if (f.is_open()) {
        for (std::uint32_t d = 1; d < 3; ++d)
            if (find_use(m, ir::op::global_id, d).any()) f.block_dimensions = d + 1;
    } else {
        f.threads = m.workgroup_size[0] * m.workgroup_size[1] * m.workgroup_size[2];
    }
    const bool exact = m.launch != ir::launch_kind::over || m.cooperative;  // whole workgroups, or multiples
    for (std::uint32_t d = 0; d < 3; ++d) {
        f.guarded[d] = !exact && (f.is_open() ? d < f.block_dimensions : f.block[d] > 1);
        // A last block that hangs over an extent near 2^32 wraps, but where blocks divide 2^32.
        const bool may_wrap = f.guarded[d] && !f.is_open() && !std::has_single_bit(f.block[d]);
        f.wide_ids[d] = find_use(m, ir::op::global_id, d).wide || may_wrap;
    }
}

void find_positions(const ir::module& m, kernel_facts& f) {
    for (std::uint32_t d = 0; d < 3; ++d) {
        const leaf_use extent = find_use(m, ir::op::extent, d), count = find_use(m, ir::op::workgroup_count, d);
        if (f.guarded[d] || extent.any())
            f.parameters.push_back({entry_kind::extent, d, f.wide_ids[d] || extent.wide ? 8u : 4u});
        if (count.any()) f.parameters.push_back({entry_kind::group_count, d, count.wide ? 8u : 4u});
        const bool is_placed = f.guarded[d] || find_use(m, ir::op::global_id, d).any() ||
                               find_use(m, ir::op::workgroup_id, d).any();
        // Along x, 32-bit ids only exceed a grid of 2^31 - 1 blocks if the blocks are tiny.
        const bool may_exceed = d > 0 || f.wide_ids[0] || (!f.is_open() && f.block[0] < 3);
        if (is_placed && may_exceed) f.parameters.push_back({entry_kind::first_group, d, f.wide_ids[d] ? 8u : 4u});
    }
}

}  // namespace

const entry_parameter* kernel_facts::find(entry_kind k, std::uint32_t number) const {
    const auto found = std::ranges::find_if(parameters, [&](const entry_parameter& p) { return p.kind == k && p.number == number; });
    return found == parameters.end() ? nullptr : &*found;
}

std::uint32_t element_alignment(const ir::type& t) {
    return t.size_bytes == 0 ? 1 : std::min(wide_bytes, 1u << std::countr_zero(t.size_bytes));
}

kernel_facts find_kernel_facts(const ir::module& m) {
    kernel_facts f;
    std::uint32_t buffers = 0, values_bytes = 0;
    for (std::uint32_t i = 0; i < m.parameters.size(); ++i) {
        const ir::type& t = m[m.parameters[i].type];
        if (m.parameters[i].kind == ir::parameter_kind::value) {
            values_bytes = align_up(values_bytes, t.alignment_bytes);
            f.parameters.push_back({entry_kind::value, 0, t.size_bytes, values_bytes, i});
            values_bytes += t.size_bytes;
            continue;
        }
        f.parameters.push_back({entry_kind::buffer, buffers, 8, 0, i});
        const leaf_use count = find_use(m, ir::op::buffer_size, i);
        if (count.any()) f.parameters.push_back({entry_kind::size, buffers, count.wide ? 8u : 4u, 0, i});
        ++buffers;
    }
    find_block(m, f);
    find_positions(m, f);
    f.shared_offsets.resize(m.variables.size());
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
        if (m.variables[i].storage != ir::storage::shared) continue;
        f.shared_offsets[i] = align_up(f.shared_bytes, wide_bytes);
        f.shared_bytes = f.shared_offsets[i] + m[m.variables[i].type].size_bytes;
    }
    return f;
}

}  // namespace quern::cuda
