#include "tests/fuzz/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <quern/error.hpp>

#include "backends/reference/interpreter.hpp"
#include "backends/registry.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "jit/passes/pipeline.hpp"

namespace quern::fuzz {

namespace {

constexpr std::uint64_t step_budget = 1u << 20;
constexpr std::size_t guard_bytes = 256;       ///< in front of and behind every buffer
constexpr std::byte guard_byte{0xa5};

bool shows_lanes(const ir::module& m) {
    return std::ranges::any_of(m.values, [](const ir::value& v) {
        return ir::info(v.op).effect == ir::effect::convergent || v.op == ir::op::subgroup_size ||
               v.op == ir::op::subgroup_lane || v.op == ir::op::subgroup_id || v.op == ir::op::subgroup_count;
    });
}

}  // namespace

std::vector<std::vector<std::byte>> run_reference(const trial& t, const ir::module& m, std::uint32_t lanes) {
    inputs in = make_inputs(t);
    std::vector<std::span<std::byte>> buffers;
    for (std::size_t p = 0; p < m.parameters.size(); ++p)
        if (m.parameters[p].kind == ir::parameter_kind::buffer) buffers.push_back(in.buffers[t.memory_of[p]]);
    reference::interpret(m, {.buffers = buffers, .values = in.values, .extent = t.extent, .groups = t.groups,
                             .lanes = lanes, .step_budget = step_budget});
    for (std::size_t p = 0; p < m.parameters.size(); ++p)
        if (t.memory_of[p] != p) in.buffers[p] = in.buffers[t.memory_of[p]];
    return std::move(in.buffers);
}

experiment::experiment(experiment_options options) : options_(std::move(options)) {
    const std::vector<std::uint32_t> wanted = options_.lanes;
    for (const std::string& name : options_.devices) {
        backends::backend* backend = backends::find(name.substr(0, name.find(':')));
        std::string reason = "no such backend";
        if (backend == nullptr || backend->enumerate(reason).empty())
            throw usage_error(fmt::format("there is no device '{}': {}", name, reason));
        for (const std::uint32_t lanes : options_.lanes) {
            // One width runs through the scheduler, the others on this thread.
            const backends::open_options how{.inline_execution = lanes != options_.lanes.front(), .lanes = lanes};
            std::unique_ptr<backends::device> device = backend->open(name, how);
            const std::uint32_t width = lanes != 0 ? lanes : device->target().info.subgroup_size;
            devices_[{name, width}] = {backend, std::move(device)};
        }
    }
    // 0 lanes: what the devices have.
    options_.lanes.clear();
    for (const auto& [key, device] : devices_)
        if (std::ranges::find(options_.lanes, key.second) == options_.lanes.end()) options_.lanes.push_back(key.second);
    if (devices_.empty()) options_.lanes = wanted;
}

std::vector<std::vector<std::byte>> experiment::run_on(opened& o, const trial& t, const ir::module& m,
                                                       const backends::compile_options& how) {
    const backends::artifact code = o.backend->compile(m, o.device->target(), how);
    const auto program = o.device->load(code, m, how);
    const auto queue = o.device->make_queue();

    inputs in = make_inputs(t);
    std::vector<std::unique_ptr<backends::memory>> memories(m.parameters.size());
    std::vector<backends::buffer_argument> arguments;
    contents images(m.parameters.size());
    for (std::size_t p = 0; p < m.parameters.size(); ++p) {
        if (m.parameters[p].kind != ir::parameter_kind::buffer || t.memory_of[p] != p) continue;
        std::vector<std::byte>& image = images[p];
        image.assign(in.buffers[p].size() + 2 * guard_bytes, guard_byte);
        std::ranges::copy(in.buffers[p], image.begin() + guard_bytes);
        memories[p] = o.device->allocate(image.size(), backends::memory_kind::device);
        queue->encode_upload(image, *memories[p], 0);
    }
    for (std::size_t p = 0; p < m.parameters.size(); ++p)
        if (m.parameters[p].kind == ir::parameter_kind::buffer)
            arguments.push_back({memories[t.memory_of[p]].get(), guard_bytes, t.counts[p]});
    queue->encode({.program = program.get(), .buffers = arguments, .values = in.values, .extent = t.extent,
                   .groups = t.groups});
    for (std::size_t p = 0; p < m.parameters.size(); ++p)
        if (memories[p]) queue->encode_download(*memories[p], 0, images[p]);
    queue->submit();
    queue->synchronize();

    const auto is_guard = [](std::byte b) { return b == guard_byte; };
    for (std::size_t p = 0; p < m.parameters.size(); ++p) {
        if (!memories[p]) continue;
        const std::span<const std::byte> image = images[p];
        if (!std::ranges::all_of(image.first(guard_bytes), is_guard) || !std::ranges::all_of(image.last(guard_bytes), is_guard))
            throw device_error(fmt::format("parameter {} was written outside of its range", p));
        std::ranges::copy(image.subspan(guard_bytes, in.buffers[p].size()), in.buffers[p].begin());
    }
    for (std::size_t p = 0; p < m.parameters.size(); ++p)
        if (t.memory_of[p] != p) in.buffers[p] = in.buffers[t.memory_of[p]];
    return std::move(in.buffers);
}

const experiment::contents& experiment::expected(const trial& t, const ir::module& original, std::uint32_t lanes) {
    const std::uint32_t key = shows_lanes(original) ? lanes : 0;
    const auto found = expected_.find(key);
    if (found != expected_.end()) return found->second;
    return expected_[key] = run_reference(t, original, lanes);
}

/// The forms that must say the same kernel: text, canonical bytes.
std::optional<failure> experiment::compare_forms(const trial& t) {
    const std::string text = ir::print(t.kernel);
    const ir::module parsed = ir::parse(text);
    if (ir::print(parsed) != text) return failure{"print", "print(parse(print(m))) differs from print(m)"};
    const ir::module canonical = ir::canonicalise(t.kernel);
    const auto bytes = ir::to_bytes(canonical);
    if (ir::to_bytes(ir::canonicalise(canonical)) != bytes) return failure{"canonicalise", "twice differs from once"};
    if (ir::to_bytes(ir::canonicalise(parsed)) != bytes)
        return failure{"canonicalise", "the parsed kernel differs from the built one"};
    if (ir::to_bytes(ir::from_bytes(bytes)) != bytes) return failure{"to_bytes", "bytes of from_bytes differ"};
    return std::nullopt;
}

std::optional<failure> experiment::run(const trial& t) {
    expected_.clear();
    std::string step = "validate";
    try {
        ir::validate(t.kernel);
        step = "reference";
        for (const std::uint32_t lanes : options_.lanes) expected(t, t.kernel, lanes);

        step = "forms";
        if (auto f = compare_forms(t)) return f;
        const ir::module canonical = ir::canonicalise(t.kernel);
        step = "validate the canonical form";
        ir::validate(canonical);

        step = "optimise";
        ir::module optimised = canonical;
        jit::optimise(optimised);
        step = "validate the optimised form";
        ir::validate(optimised);
        const std::uint32_t some_lanes = options_.lanes[t.inputs_seed % options_.lanes.size()];
        for (const ir::module* form : {&canonical, &std::as_const(optimised)}) {
            step = form == &canonical ? "reference on the canonical form" : "reference on the optimised form";
            const contents found = run_reference(t, *form, some_lanes);
            if (const auto d = find_difference(t.kernel, expected(t, t.kernel, some_lanes), found)) return failure{step, *d};
        }

        for (auto& [key, device] : devices_)
            for (const ir::module* form : {&canonical, &std::as_const(optimised)}) {
                if (form != &canonical && key.second != some_lanes) continue;
                // the forms differ in it, and so do the widths
                const std::uint64_t pick = t.inputs_seed / options_.lanes.size() + key.second / 4 + (form == &canonical);
                const backends::compile_options how{.lanes = key.second, .vectors = options_.vectors[pick % options_.vectors.size()]};
                step = fmt::format("{} at {} lanes in {} vectors, {}", key.first, how.lanes, how.vectors,
                                   form == &canonical ? "canonical form" : "optimised form");
                contents found;
                try {
                    found = run_on(device, t, *form, how);
                } catch (const compile_error& e) {
                    if (std::string_view(e.what()).find("which this Vulkan device does not have") == std::string_view::npos) throw;
                    continue;  // refused by a declared capability
                }
                if (const auto d = find_difference(t.kernel, expected(t, t.kernel, key.second), found))
                    return failure{step, *d};
            }
    } catch (const std::exception& e) {
        return failure{step, e.what()};
    }
    return std::nullopt;
}

}  // namespace quern::fuzz
