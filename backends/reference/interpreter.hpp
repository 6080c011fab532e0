// The slow, obvious interpreter of the IR: the oracle of the tests. Workgroups run one after another on the calling
// thread, the invocations of one between barriers likewise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/reference/decoded_kernel.hpp"
#include "dsl/ir/module.hpp"

namespace quern::reference {

/// One launch. Sizes in bytes; shapes as in backends::dispatch.
struct run_arguments {
    /// By buffer parameter, in order; each as many elements as fit into its bytes.
    std::span<const std::span<std::byte>> buffers;
    /// The value parameters, each at its own alignment, in order.
    std::span<const std::byte> values;
    std::array<std::uint64_t, 3> extent{1, 1, 1};
    std::array<std::uint64_t, 3> groups{1, 1, 1};  ///< of groups and tiles; over derives them from extent
    std::uint32_t lanes = 8;                       ///< subgroup size
    std::uint64_t step_budget = std::uint64_t{1} << 32;  ///< statements that one invocation may execute
};

/// Runs a validated module. Throws device_error naming kernel, line, index and bound on an access out of range, and
/// when the step budget is spent; internal_error "divergent barrier" where invocations of one workgroup wait at
/// different barriers, likewise for subgroup operations; usage_error when the arguments do not fit the kernel.
void interpret(const ir::module& m, const run_arguments& a);
/// The same for a module that was decoded before.
void interpret(const decoded_kernel& k, const run_arguments& a);

}  // namespace quern::reference
