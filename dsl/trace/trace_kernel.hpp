// From a kernel's body to its IR: runs the body once under a fresh recorder on this thread.
#pragma once

#include <quern/detail/parameter_desc.hpp>
#include <quern/target.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ir/module.hpp"
#include "dsl/trace/source_names.hpp"

namespace quern::trace {

/// One tunable as the body asked for it, in order; `chosen` is an element of `values`.
struct tunable {
    std::string name;
    std::vector<std::int64_t> values;
    std::int64_t chosen = 0;
};

struct request {
    const target_info* target = nullptr;
    ir::launch_kind launch = ir::launch_kind::over;
    std::string kernel_name;
    /// Values to choose, by name; a name that is missing takes its default.
    std::span<const tunable> choices;
    /// Where to read names from, for inspection; null: values stay nameless. `file` and `line` are the kernel's own.
    const source_lines* source = nullptr;
    std::string_view file;
    std::uint32_t line = 0;
};

struct result {
    ir::module module;               ///< canonical and validated
    std::vector<tunable> tunables;
    bool requirements_met = true;    ///< false: a require() failed for these choices; the module is empty
};

/// Throws usage_error with file:line for the user's mistakes. The trace is over on every way out.
result trace_kernel(const quern_detail::kernel_body& body, std::span<const quern_detail::parameter_desc> parameters,
                    const request& r);

/// True while a body runs on this thread.
bool in_progress();

}  // namespace quern::trace
