#include "dsl/trace/trace_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <quern/error.hpp>

#include "dsl/ir/canonical.hpp"
#include "dsl/ir/effects.hpp"
#include "dsl/ir/validator.hpp"
#include "dsl/trace/recorder.hpp"

namespace quern::trace {

namespace {

bool is_cooperative(const ir::module& m) {
    return std::ranges::any_of(m.values, [](const ir::value& v) { return ir::is_cooperative(v.op); }) ||
           std::ranges::any_of(m.variables, [](const ir::variable& v) { return v.storage == ir::storage::shared; }) ||
           std::ranges::any_of(m.blocks, [](const ir::block& b) {
               return std::ranges::any_of(b.statements,
                                          [](const ir::statement& s) { return std::holds_alternative<ir::barrier>(s); });
           });
}

}  // namespace

bool in_progress() { return recorder::current() != nullptr; }

result trace_kernel(const quern_detail::kernel_body& body, std::span<const quern_detail::parameter_desc> parameters,
                    const request& r) {
    if (recorder* outer = recorder::current())
        outer->fail(fmt::format("kernel \"{}\" is traced inside another trace: call plain functions and lambdas from a "
                                "kernel, never launch from one", r.kernel_name), outer->last_location());
    recorder record(r, parameters);
    {
        const recording scope(record);
        body.run();
    }
    result out;
    out.tunables = record.tunables();
    out.requirements_met = record.requirements_met();
    ir::module traced = record.finish();
    if (!out.requirements_met) return out;
    out.module = ir::canonicalise(traced);
    out.module.cooperative = is_cooperative(out.module);
    ir::validate(out.module);
    return out;
}

}  // namespace quern::trace
