// Compilation for people to look at, and for targets without a device.
#include <quern/error.hpp>
#include <quern/kernel.hpp>

#include <fmt/format.h>

#include <chrono>

#include "backends/registry.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "jit/runtime/kernel_state.hpp"
#include "jit/runtime/launch.hpp"
#include "jit/runtime/runtime_state.hpp"

namespace quern::quern_detail {
namespace {

struct named_target {
    backends::backend* backend;
    backends::target target;
    backends::compile_options options;
};

/// Targets belong to no device, so the settings are the environment's.
named_target find_target(std::string_view name) {
    const jit::settings& settings = runtime_state::standard().settings();
    std::string known;
    for (backends::backend* b : backends::all()) {
        backends::target t = b->find_target(name);
        if (!t.info.name.empty()) {
            if (settings.lanes != 0 && t.info.backend == backend::cpu) t.info.subgroup_size = settings.lanes;
            return {b, std::move(t), settings.compile_options()};
        }
        known += (known.empty() ? "" : ", ") + std::string(b->name());
    }
    throw usage_error(fmt::format("unknown target '{}': no backend ({}) knows it; \"cpu\", \"cpu:znver4\" and \"sm_90\" are targets",
                                  name, known));
}

void set_member(inspection& i, const inspection::stage& s) {
    const std::pair<std::string_view, std::string inspection::*> members[] = {
        {"ir", &inspection::ir},     {"llvm", &inspection::llvm}, {"spirv", &inspection::spirv},
        {"cuda", &inspection::cuda}, {"ptx", &inspection::ptx},   {"assembly", &inspection::assembly}};
    for (const auto& [name, member] : members)
        if (s.name == name) i.*member = s.text;
}

inspection look_at(const jit::traced_kernel& traced, backends::backend& b, const backends::target& t,
                   const backends::compile_options& options) {
    inspection result;
    result.trace_ms = traced.trace_ms;
    result.passes_ms = traced.passes_ms;
    const auto start = std::chrono::steady_clock::now();
    b.compile(traced.module, t, options);
    result.compile_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    result.stages.push_back({"ir", ir::print(traced.module)});
    for (backends::stage& s : b.inspect(traced.module, t, options))
        result.stages.push_back({std::move(s.name), std::move(s.text)});
    for (const inspection::stage& s : result.stages) set_member(result, s);
    return result;
}

artifact publish(backends::artifact code) {
    return {std::move(code.bytes), std::move(code.format), std::move(code.log)};
}

handle<kernel_state> parse_kernel(std::string_view qir, std::string_view file) {
    ir::module m = ir::parse(qir, file);
    ir::validate(m);
    return handle<kernel_state>(new kernel_state(std::move(m)));
}

}  // namespace

void prepare(kernel_state* k, device_state* d, const launch_shape* only) {
    forbid_in_trace("prepare");
    kernel_state& kernel = require(k, "kernel");
    device_state& device = require(d, "device");
    if (only != nullptr) {
        kernel.get(device, jit::kind_of(*only));
        return;
    }
    for (const ir::launch_kind kind : kernel.possible_launches(device.target().info)) kernel.get(device, kind);
}

inspection inspect(kernel_state* k, device_state* d, const launch_shape* only) {
    forbid_in_trace("inspect");
    kernel_state& kernel = require(k, "kernel");
    device_state& device = require(d, "device");
    const target_info& info = device.target().info;
    const ir::launch_kind kind = only != nullptr ? jit::kind_of(*only) : kernel.usual_launch(info);
    return look_at(kernel.trace(info, kind, names::from_source), device.backend(), device.target(), device.compile_options());
}

artifact compile_for(kernel_state* k, std::string_view target) {
    forbid_in_trace("compile_for");
    kernel_state& kernel = require(k, "kernel");
    const named_target t = find_target(target);
    const jit::traced_kernel traced = kernel.trace(t.target.info, kernel.usual_launch(t.target.info));
    return publish(t.backend->compile(traced.module, t.target, t.options));
}

}  // namespace quern::quern_detail

namespace quern {

std::string_view inspection::operator[](std::string_view name) const {
    for (const stage& s : stages)
        if (s.name == name) return s.text;
    return {};
}

artifact compile_ir(std::string_view qir, std::string_view target, std::string_view file) {
    return quern_detail::compile_for(quern_detail::parse_kernel(qir, file).get(), target);
}

inspection inspect_ir(std::string_view qir, std::string_view target, std::string_view file) {
    const quern_detail::handle<quern_detail::kernel_state> k = quern_detail::parse_kernel(qir, file);
    const quern_detail::named_target t = quern_detail::find_target(target);
    return quern_detail::look_at(k->trace(t.target.info, k->usual_launch(t.target.info)), *t.backend, t.target,
                                 t.options);
}

}  // namespace quern
