#include "tests/fuzz/kernel_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace quern::fuzz {

using ir::op;
using ir::scalar_kind;

kernel_writer::kernel_writer(std::uint64_t seed, const generator_options& options)
    : options_(options), random_(seed), builder_(trial_.kernel), cells_(enumerate_cells(options.kinds)) {
    for (const cell& c : cells_) cells_of_[c.operand.kind != scalar_kind::none ? c.operand : c.result].push_back(c);
    trial_.note = fmt::format("quern-fuzz seed {}", seed);
    trial_.inputs_seed = random_.next() >> 1;
    m().name = fmt::format("fuzz_{}", seed);
    m().math = ir::math_mode::precise;
    choose_cells(seed);
    choose_launch();
    for (int i = 0; i < 4; ++i) palette_.push_back(random_shape());
    palette_.push_back({scalar_kind::u32, 1});
    palette_.push_back({scalar_kind::boolean, 1});
}

void kernel_writer::choose_cells(std::uint64_t seed) {
    // A stride that shares no factor with the number of cells visits all of them.
    std::uint64_t stride = cells_.size() / 3 + 1;
    while (std::gcd(stride, cells_.size()) != 1) ++stride;
    for (unsigned i = 0; i < options_.assigned_cells; ++i)
        assigned_.push_back(cells_[(seed % cells_.size() * options_.assigned_cells + i) % cells_.size() * stride %
                                   cells_.size()]);
}

void kernel_writer::choose_launch() {
    exchanges_ = random_.chance(36);
    aliases_ = random_.chance(9);
    subgroups_ = random_.chance(18);
    cooperative_ = exchanges_ || subgroups_ || random_.chance(6);
    bool bounded = false;
    for (const cell& c : assigned_) {
        const bool lanes = ir::info(c.op).effect == ir::effect::convergent || c.op == op::subgroup_size ||
                           c.op == op::subgroup_lane || c.op == op::subgroup_id || c.op == op::subgroup_count;
        subgroups_ |= lanes;
        exchanges_ |= c.op == op::uniform_load;
        cooperative_ |= lanes || c.op == op::uniform_load || c.op == op::local_id || c.op == op::workgroup_id ||
                        c.op == op::workgroup_count;
        bounded |= c.op == op::extent;
    }
    m().cooperative = cooperative_;
    if (!cooperative_) choose_over();
    else {
        choose_workgroups();
        const unsigned roll = bounded ? 0 : static_cast<unsigned>(random_.below(100));
        m().launch = roll < 45   ? ir::launch_kind::over
                     : roll < 85 ? ir::launch_kind::groups
                                 : ir::launch_kind::tiles;
        for (std::size_t d = 0; d < 3; ++d) trial_.extent[d] = grid_[d];
        if (m().launch == ir::launch_kind::tiles) {
            trial_.groups[2] = grid_[2] = 1;
            for (std::size_t d = 0; d < 2; ++d) {
                m().covers[d] = static_cast<std::uint32_t>(random_.between(1, 40));
                grid_[d] = static_cast<std::uint32_t>(trial_.groups[d]) * m().workgroup_size[d];
                trial_.extent[d] = m().covers[d] * trial_.groups[d] - random_.below(m().covers[d]);
            }
            trial_.extent[2] = 1;
            m().workgroup_size[2] = 1;
        }
        group_invocations_ = m().workgroup_size[0] * m().workgroup_size[1] * m().workgroup_size[2];
    }
    invocations_ = grid_[0] * grid_[1] * grid_[2];
}

void kernel_writer::choose_over() {
    m().launch = ir::launch_kind::over;
    const std::uint64_t dimensions = 1 + random_.below(100) / 45;
    constexpr std::array<std::array<std::uint32_t, 3>, 3> largest{{{150, 1, 1}, {23, 7, 1}, {11, 5, 3}}};
    for (std::size_t d = 0; d < 3; ++d)
        grid_[d] = static_cast<std::uint32_t>(random_.between(1, largest[dimensions - 1][d]));
    if (random_.chance(10)) grid_[0] = static_cast<std::uint32_t>(16 * random_.between(1, 4));
    for (std::size_t d = 0; d < 3; ++d) trial_.extent[d] = grid_[d];
    if (random_.chance(60)) return;
    m().workgroup_size = {static_cast<std::uint32_t>(random_.between(1, 40)),
                          static_cast<std::uint32_t>(dimensions > 1 ? random_.between(1, 4) : 1), 1};
    for (std::size_t d = 0; d < 3; ++d)
        trial_.groups[d] = (grid_[d] + m().workgroup_size[d] - 1) / m().workgroup_size[d];
}

void kernel_writer::choose_workgroups() {
    constexpr std::array<std::array<std::uint32_t, 3>, 14> sizes{{
        {32, 1, 1}, {24, 1, 1}, {7, 3, 1}, {5, 1, 1}, {33, 1, 1}, {8, 8, 1}, {16, 2, 1}, {12, 2, 2}, {1, 9, 1},
        {64, 1, 1}, {17, 2, 1}, {3, 2, 5}, {1, 1, 1}, {4, 4, 1},
    }};
    // Lanes need not be consecutive local ids, so subgroups get rows that every width divides.
    constexpr std::array<std::array<std::uint32_t, 3>, 5> subgroup_sizes{
        {{32, 1, 1}, {16, 1, 1}, {64, 1, 1}, {16, 3, 1}, {32, 2, 1}}};
    m().workgroup_size = subgroups_ ? random_.pick(subgroup_sizes) : random_.pick(sizes);
    const std::uint32_t size = m().workgroup_size[0] * m().workgroup_size[1] * m().workgroup_size[2];
    constexpr std::array<std::uint64_t, 3> most{4, 3, 2};
    std::uint64_t room = std::max<std::uint64_t>(1, 200 / size);
    for (std::size_t d = 0; d < 3; ++d) {
        trial_.groups[d] = random_.between(1, std::min(most[d], room));
        room /= trial_.groups[d];
        grid_[d] = m().workgroup_size[d] * static_cast<std::uint32_t>(trial_.groups[d]);
    }
}

void kernel_writer::begin_body() {
    constexpr shape u32{scalar_kind::u32, 1};
    const auto position = [&](op code, std::size_t d, level spread) {
        return emit(code, {}, u32, d, spread);
    };
    // x + size_x * (y + size_y * z), with only the dimensions that are there
    const auto linear = [&](op code, level spread, const std::array<std::uint32_t, 3>& size) {
        std::optional<ir::value_id> result;
        for (std::size_t d = 3; d-- > 0;) {
            if (size[d] == 1 && !(d == 0 && !result)) continue;
            const ir::value_id own = position(code, d, spread);
            if (!result) result = own;
            else {
                const bool ask = code == op::global_id && m().launch == ir::launch_kind::over && random_.chance(40);
                const ir::value_id step = ask ? emit(op::extent, {}, u32, d) : number(size[d]);
                result = emit(op::add, {own, emit(op::mul, {*result, step}, u32)}, u32);
            }
        }
        return *result;
    };
    for (std::size_t d = 0; d < 3; ++d)
        if (grid_[d] > 1 || d == 0) global_[d] = remember(position(op::global_id, d, level::varying));
    if (cooperative_) {
        local_linear_ = linear(op::local_id, level::varying, m().workgroup_size);
        std::array<std::uint32_t, 3> groups;
        for (std::size_t d = 0; d < 3; ++d) groups[d] = static_cast<std::uint32_t>(trial_.groups[d]);
        group_base_ = emit(op::mul, {linear(op::workgroup_id, level::workgroup, groups), number(group_invocations_)}, u32);
        remember(local_linear_);
    }
    linear_ = cooperative_ && random_.chance(50) ? emit(op::add, {group_base_, local_linear_}, u32)
                                                 : linear(op::global_id, level::varying, grid_);
    if (aliases_) add_alias();
    for (std::uint64_t i = random_.between(2, 5); i-- > 0;) {
        const shape s = random_shape();  // the order of draws is part of what a seed means: one a statement
        remember(load_input(s, aliases_ ? level::varying : random_limit()));
    }
}

void kernel_writer::write_assigned_cells() {
    for (const cell& c : assigned_) write_cell(c, random_limit());
    assigned_.clear();
}

void kernel_writer::size_buffers() {
    trial_.counts.resize(m().parameters.size());
    trial_.memory_of.resize(m().parameters.size());
    trial_.salts.resize(m().parameters.size());
    std::iota(trial_.memory_of.begin(), trial_.memory_of.end(), 0u);
    std::iota(trial_.salts.begin(), trial_.salts.end(), 0u);
    for (const auto& [type, i] : inputs_) trial_.counts[i.parameter] = i.count;
    for (const auto& [key, o] : outputs_)
        trial_.counts[o.parameter] = std::uint64_t{invocations_} * std::max(o.interleaved ? interleaved_slots : 1, o.slots);
    for (const auto& [key, o] : outputs_)
        if (trial_.counts[o.parameter] < interleaved_slots) trial_.counts[o.parameter] = interleaved_slots;
    for (const exchanged& e : exchanged_)
        if (e.root == ir::root_kind::parameter) trial_.counts[e.number] = invocations_;
    if (!aliases_) return;
    for (const std::uint32_t name : alias_) trial_.counts[name] = invocations_;
    trial_.memory_of[alias_[0]] = alias_[1];
}

trial kernel_writer::write() {
    builder_.begin_block();
    begin_body();
    actions_left_ = static_cast<unsigned>(random_.between(options_.actions / 3, options_.actions * 5 / 3));
    const unsigned before = static_cast<unsigned>(random_.below(4));
    for (unsigned i = 0; i < before; ++i) write_action();
    write_assigned_cells();
    if (exchanges_) random_.chance(75) ? write_exchange() : write_shared_counters();
    while (actions_left_ > 0) write_action();
    store_unused(0);
    m().body = builder_.end_block();
    size_buffers();
    return std::move(trial_);
}

trial generate(std::uint64_t seed, const generator_options& options) { return kernel_writer(seed, options).write(); }

}  // namespace quern::fuzz
