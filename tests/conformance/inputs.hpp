// What conformance kernels compute with: every edge value with every other, then random ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsl/ir/type.hpp"
#include "tests/conformance/configuration.hpp"

namespace quern::tests {

/// Values of a kind at which meanings differ: limits, signs, ties, conversions' bounds, NaN.
std::vector<std::uint64_t> edge_values(ir::scalar_kind k);

/// How far operands roam.
enum class range : std::uint8_t {
    full,   ///< edges and random values
    small,  ///< small integers and powers of two, whose sums and products are exact in every kind
};

/// `count` scalars of kind `k` in host layout as operand number `operand` (0 to 2) of a kernel: the operands together
/// step through the edges' cross product first.
bytes make_scalars(ir::scalar_kind k, std::size_t count, unsigned operand, range r = range::full);

/// Component number `i` of packed scalars, and its inverse.
std::uint64_t scalar_at(const bytes& b, ir::scalar_kind k, std::size_t i);
void set_scalar(bytes& b, ir::scalar_kind k, std::size_t i, std::uint64_t bits);

}  // namespace quern::tests
