// Splits a kernel with barriers, on the structured IR: which statements run once per workgroup (scalar control around
// barriers, and uniform work beside it), which run as loops over lanes between them, and what lives across.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backends/cpu/codegen/divergence.hpp"
#include "dsl/ir/module.hpp"

namespace quern::cpu::codegen {

struct region_plan {
    bool synchronises = false;                   ///< false: the whole kernel is one loop over lanes
    std::vector<std::vector<bool>> group_level;  ///< by block, statement: runs once per workgroup
    std::vector<bool> group_value;               ///< by value: computed at group level, visible to all regions after it
    std::vector<bool> group_variable;            ///< by variable: one copy per workgroup, stored at group level
    std::vector<bool> spilled;                   ///< by value: crosses regions through scratch memory
    std::vector<bool> in_scratch;                ///< by variable: one copy per vector of lanes, in scratch memory
    bool keeps_returned = false;                 ///< lanes that returned must be remembered across regions

    bool at_group_level(ir::block_id b, std::size_t i) const { return synchronises && group_level[b.number][i]; }
};

region_plan plan_regions(const ir::module& m, launch_form form, const divergence& d);

/// Calls `use` with every value that statement `s` or a statement inside it reads, operands of values included.
void for_each_use(const ir::module& m, const ir::statement& s, const std::function<void(ir::value_id)>& use);
/// Calls `visit` with `s` and every statement inside it, in order.
void for_each_statement(const ir::module& m, const ir::statement& s, const std::function<void(const ir::statement&)>& visit);

/// True for a value that reads nothing but its own record: it can be computed again anywhere.
bool is_leaf(const ir::module& m, ir::value_id v);

}  // namespace quern::cpu::codegen
