// Kernels for what is no function of values: leaves, every kind of memory, atomics.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/configuration.hpp"
#include "tests/conformance/sketch.hpp"
#include "tests/fuzz/cell.hpp"

namespace quern::tests {

/// A kernel with its launch and the buffers' first contents; all of them are compared bit by bit.
struct memory_kernel {
    std::string name;
    std::unique_ptr<sketch> kernel;
    experiment start;
};

/// Values of shape `s` through buffers (gathered and scattered), a local array, a shared array, a uniform load, a value
/// parameter and constants.
std::vector<memory_kernel> make_memory_kernels(fuzz::shape s);

/// The atomic `code` on places of kind `k`: own elements with the old values compared, and, where the order does not
/// matter, contended ones with the outcome compared; in buffers and in shared memory. Floats are summed exactly.
std::vector<memory_kernel> make_atomic_kernels(ir::op code, ir::scalar_kind k);

/// Positions and sizes in three dimensions, of an over launch in single invocations and in workgroups.
std::vector<memory_kernel> make_position_kernels();

}  // namespace quern::tests
