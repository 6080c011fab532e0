// The table of contents of what Quern does to a kernel between tracing and a backend.
#pragma once

#include <span>
#include <string_view>

#include "dsl/ir/module.hpp"

namespace quern::jit {

struct pass {
    std::string_view name;
    void (*run)(ir::module&);
};

/// All passes in the order in which they run.
std::span<const pass> passes();

/// Runs all passes over a validated module and leaves it canonical. Debug builds validate after each and throw
/// internal_error that names the pass. Linear.
void optimise(ir::module& m);

}  // namespace quern::jit
