// From cells (op × type) to a kernel that computes them elementwise: out[i] = op(a[i], b[i], c[i]) for every cell of a
// family, all in one kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tests/conformance/configuration.hpp"
#include "tests/conformance/sketch.hpp"
#include "tests/fuzz/cell.hpp"

namespace quern::tests {

/// Cells that differ in widths only: one op, one operand kind, one result kind.
using family = std::vector<fuzz::cell>;

/// The families over these kinds whose ops compute from values: no leaves, no memory. In ops.def's order.
std::vector<family> value_families(std::span<const ir::scalar_kind> kinds);

/// What one cell reads and writes, by buffer number.
struct cell_buffers {
    fuzz::cell cell;
    std::vector<std::uint32_t> operands;
    std::uint32_t output = 0;
    fuzz::shape result;
};

/// A kernel for a family, its launch and its buffers' first contents.
struct cell_kernel {
    std::unique_ptr<sketch> kernel;
    experiment start;
    std::vector<cell_buffers> cells;
    std::vector<fuzz::shape> shapes;  ///< by buffer
};

/// `workgroup_size` of kernels whose op exchanges values within subgroups; a multiple of 4.
cell_kernel make_cell_kernel(const family& f, std::uint32_t workgroup_size);

}  // namespace quern::tests
