// What an op does beyond computing: which ops touch memory, which may move, which buffers never change.
// Facts for analyses and passes; nothing here looks at control flow.
#pragma once

#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// The op's immediate is a place.
constexpr bool accesses_memory(op code) {
    return info(code).effect == effect::load || info(code).effect == effect::atomic;
}

/// Nothing but its own type and immediate decides it, so that it may be computed anywhere and any number of times.
constexpr bool is_leaf(op code) {
    return info(code).effect == effect::pure && info(code).arity == 0 && code != op::induction;
}

/// Pure values and plain loads: free to move between two effects. Everything else keeps its place in the block.
constexpr bool is_movable(op code) { return info(code).effect == effect::pure || code == op::load; }

/// Depends on how invocations are grouped, so that a kernel with it is a cooperative one.
constexpr bool is_cooperative(op code) {
    return info(code).effect == effect::convergent || code == op::uniform_load || code == op::local_id ||
           code == op::workgroup_id || code == op::workgroup_count || code == op::subgroup_size ||
           code == op::subgroup_lane || code == op::subgroup_id || code == op::subgroup_count;
}

/// Uses such an op, shared memory or a barrier: what the module's `cooperative` must say.
bool is_cooperative(const module& m);

/// The local variable that the place belongs to, or none for buffers and shared memory.
inline variable_id local_root(const module& m, place_id p) {
    const place& at = m[p];
    if (at.root != root_kind::variable || m.variables[at.number].storage != storage::local) return {};
    return {at.number};
}

/// By parameter: a buffer whose elements stay the same while the kernel runs. Written buffers overlap no other
/// argument unless they are `aliased`, so that one aliased parameter makes every buffer suspect.
std::vector<bool> find_unchanging_buffers(const module& m);

}  // namespace quern::ir
