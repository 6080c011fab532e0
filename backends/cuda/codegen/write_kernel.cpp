// The frame of a kernel: signature, shared memory, position and guard, and the lines of the user's file.
#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/codegen/prelude.hpp"
#include "backends/cuda/codegen/writer.hpp"
#include "dsl/ir/effects.hpp"
#include "dsl/ir/keywords.hpp"

namespace quern::cuda {
namespace {

std::string_view word_type(std::uint32_t size_bytes) { return size_bytes == 8 ? "uint64" : "uint"; }

std::string quoted(std::string_view path) {
    std::string text = "\"";
    for (const char c : path) {
        if (c == '"' || c == '\\') text += '\\';
        text += c == '\n' ? ' ' : c;
    }
    return text + '"';
}

}  // namespace

std::string write_kernel(const ir::module& m, int compute_capability) { return writer(m, compute_capability).run(); }

writer::writer(const ir::module& m, int compute_capability)
    : module_(m), compute_capability_(compute_capability), facts_(find_kernel_facts(m)), names_(m), types_(m),
      unchanging_(ir::find_unchanging_buffers(m)),
      is_restricted_(std::ranges::none_of(m.parameters, [](const ir::parameter& p) { return p.aliased; })) {}

std::string writer::run() {
    write_signature();
    depth_ = 1;
    write_shared_variables();
    write_positions();
    write_block(module_.body);
    out_ += "}\n";
    const std::string kernel = types_.definitions() + out_;
    return prelude_for(kernel) + "\n" + kernel;
}

void writer::line(std::string_view text) {
    out_.append(4 * depth_, ' ');
    out_ += text;
    out_ += '\n';
    ++next_line_;
}

void writer::mark(ir::location_id at) {
    if (at.is_none()) return;
    const ir::location& l = module_.locations[at.number];
    if (l.file.is_none() || l.line == 0 || (l.file == file_ && l.line == next_line_)) return;
    out_ += fmt::format("#line {} {}\n", l.line, quoted(module_.files[l.file.number]));
    file_ = l.file;
    next_line_ = l.line;
}

void writer::write_signature() {
    std::string list;
    for (const entry_parameter& p : facts_.parameters) {
        if (!list.empty()) list += ", ";
        const std::string dimension = p.number < 3 ? std::string(1, ir::component_letters[p.number]) : "";
        switch (p.kind) {
            case entry_kind::buffer: {
                const ir::parameter& buffer = module_.parameters[p.parameter];
                list += fmt::format("{}{}*{} {}", buffer.access == ir::access::read ? "const " : "", types_.name(buffer.type),
                                    is_restricted_ ? " __restrict__" : "", names_.of_parameter(p.parameter));
                break;
            }
            case entry_kind::value:
                list += fmt::format("const {} {}", types_.name(module_.parameters[p.parameter].type), names_.of_parameter(p.parameter));
                break;
            case entry_kind::size:
                list += fmt::format("{} {}", word_type(p.size_bytes), names_.of_size(p.parameter));
                break;
            case entry_kind::extent: list += fmt::format("{} extent_{}", word_type(p.size_bytes), dimension); break;
            case entry_kind::group_count: list += fmt::format("{} groups_{}", word_type(p.size_bytes), dimension); break;
            case entry_kind::first_group: list += fmt::format("{} first_group_{}", word_type(p.size_bytes), dimension); break;
        }
    }
    line(fmt::format("extern \"C\" __global__ void __launch_bounds__({})", facts_.threads));
    line(fmt::format("{}({}) {{", names_.entry(), list));
}

void writer::write_shared_variables() {
    if (facts_.has_dynamic_shared()) line("extern __shared__ __align__(16) unsigned char shared_memory[];");
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
        const ir::variable& v = module_.variables[i];
        if (v.storage != ir::storage::shared) continue;
        const std::string type = types_.name(v.type);
        if (facts_.has_dynamic_shared())
            line(fmt::format("{0}& {1} = *({0}*)(shared_memory + {2});", type, names_.of_variable(i), facts_.shared_offsets[i]));
        else
            line(fmt::format("__shared__ __align__({}) {} {};", wide_bytes, type, names_.of_variable(i)));
    }
}

/// The invocation's number along a dimension: its block's first one and its own.
std::string writer::position_along(std::uint32_t d) const {
    const char letter = ir::component_letters[d];
    const bool has_first = facts_.find(entry_kind::first_group, d) != nullptr;
    const std::string group = has_first ? fmt::format("group_{}", letter) : fmt::format("blockIdx.{}", letter);
    const std::string wide_group = facts_.wide_ids[d] ? "(uint64)" + group : group;
    const bool is_single = facts_.is_open() ? d >= facts_.block_dimensions : facts_.block[d] == 1;
    if (is_single) return wide_group;
    std::string size = fmt::format("blockDim.{}", letter);
    if (!facts_.is_open()) size = fmt::format("{}u", facts_.block[d]);
    else if (facts_.block_dimensions == 1) size = fmt::format("{}u", open_block_threads);
    return fmt::format("{} * {} + threadIdx.{}", wide_group, size, letter);
}

void writer::write_positions() {
    const auto is_used = [&](ir::op code, std::uint32_t d) {
        return std::ranges::any_of(module_.values, [&](const ir::value& v) { return v.op == code && v.immediate == d; });
    };
    std::string beyond;
    for (std::uint32_t d = 0; d < 3; ++d) {
        const char letter = ir::component_letters[d];
        const entry_parameter* first = facts_.find(entry_kind::first_group, d);
        const bool has_id = facts_.guarded[d] || is_used(ir::op::global_id, d);
        if (is_used(ir::op::workgroup_id, d) || (first != nullptr && has_id))
            line(fmt::format("const {0} group_{1} = blockIdx.{1}{2};", word_type(first != nullptr ? first->size_bytes : 4), letter,
                             first != nullptr ? fmt::format(" + first_group_{}", letter) : ""));
        if (!has_id) continue;
        line(fmt::format("const {} global_{} = {};", word_type(facts_.wide_ids[d] ? 8 : 4), letter, position_along(d)));
        if (facts_.guarded[d])
            beyond += fmt::format("{}global_{} >= extent_{}", beyond.empty() ? "" : " || ", letter, letter);
    }
    if (!beyond.empty()) line(fmt::format("if ({}) return;", beyond));
    const bool exchanges = std::ranges::any_of(module_.values, [](const ir::value& v) {
        return ir::info(v.op).effect == ir::effect::convergent;
    });
    if (exchanges && facts_.threads % 32 != 0)
        line(fmt::format("const uint subgroup_threads = flat_local_id() / 32u == {}u ? {:#x}u : ~0u;", facts_.threads / 32,
                         (1u << facts_.threads % 32) - 1));
}

}  // namespace quern::cuda
