#include "dsl/trace/trace_kernel.hpp"

#include <fmt/format.h>

#include <quern/error.hpp>

#include "dsl/ir/canonical.hpp"
#include "dsl/ir/effects.hpp"
#include "dsl/ir/validator.hpp"
#include "dsl/trace/recorder.hpp"

namespace quern::trace {

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
    out.module.cooperative = ir::is_cooperative(out.module);
    ir::validate(out.module);
    return out;
}

}  // namespace quern::trace
