// Side table: how equal a value is among the invocations of a workgroup, and how together they execute a statement.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// Ordered: larger is less uniform.
enum class uniformity : std::uint8_t { workgroup, subgroup, varying };

struct uniformity_table {
    std::vector<uniformity> values;     ///< by value: equal among the invocations that compute it together
    std::vector<uniformity> variables;  ///< by local variable: its contents (whole variable)
    std::vector<std::vector<uniformity>> control;  ///< by block, then statement: who reaches it together

    uniformity of(value_id v) const { return values[v.number]; }
    uniformity at(block_id b, std::size_t statement) const { return control[b.number][statement]; }
};

/// Fixed point over variables; a divergent break, continue or return makes the rest of what it leaves non-uniform.
/// Loads of buffers that the kernel writes, and of shared memory other than uniform_load, are varying.
uniformity_table analyse_uniformity(const module& m);

}  // namespace quern::ir
