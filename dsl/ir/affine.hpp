// Side table: integer values that are linear in the invocation's x position.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// By value: c such that value(x + 1) == value(x) + c modulo 2^width for invocations that differ in x only and
/// compute it together; 0 for what does not depend on x; nothing where it is not linear.
/// global_id(0) and local_id(0) have stride 1, the other dimensions and workgroup-uniform values 0.
struct affine_table {
    std::vector<std::optional<std::int64_t>> x_stride;
    std::optional<std::int64_t> of(value_id v) const { return x_stride[v.number]; }
};

affine_table analyse_affine(const module& m);

}  // namespace quern::ir
