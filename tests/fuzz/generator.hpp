// Makes a valid random kernel from a seed. What it makes is deterministic and defined: indices are in range, loops are
// bounded, every invocation owns what it writes, shared memory changes hands at barriers, no NaN's bits are observed,
// and results of functions with an error bound go nowhere but into a buffer of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fuzz/cell.hpp"
#include "tests/fuzz/trial.hpp"

namespace quern::fuzz {

struct generator_options {
    std::vector<ir::scalar_kind> kinds{default_kinds().begin(), default_kinds().end()};
    unsigned actions = 17;           ///< mean number of things done in a kernel, each a few statements
    unsigned assigned_cells = 3;     ///< cells that a kernel contains for certain; consecutive seeds take turns
};

/// The same seed and options give the same trial on every machine and compiler.
trial generate(std::uint64_t seed, const generator_options& options = {});

}  // namespace quern::fuzz
