// Side table of one compilation: what is equal in a whole workgroup, in a pack of vectors, in one vector of lanes,
// or in no more than a lane. Finer than ir::analyse_uniformity, because it knows the lane width and which invocations share a vector or a pack:
// a row's y is one value, and lanes that load one address together get one value.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::cpu::codegen {

/// range: any run of invocations of one row; group: whole workgroups, lanes are neighbours in the flat local index.
enum class launch_form : std::uint8_t { range, group };
launch_form form_of(const ir::module& m);

/// True where the lanes of a vector always lie in one row of the workgroup.
bool lanes_stay_in_row(const ir::module& m, std::uint32_t lanes);

/// Who has one value together. Ordered: larger is less equal. A pack is the vectors that one trip of a loop over lanes
/// carries; where it is one vector, `vector` does not occur.
enum class level : std::uint8_t { workgroup, pack, vector, lane };

/// Control at this level needs masks.
constexpr bool splits_pack(level l) { return l > level::pack; }

/// Vectors of a pack.
constexpr std::uint32_t most_vectors = 4;

struct statement_facts {
    level control = level::workgroup;   ///< who reaches it together
    level relative = level::workgroup;  ///< likewise, among those that began this iteration of the innermost loop
    level loop = level::workgroup;      ///< of loops: who takes the same trips (condition, breaks, continues)
    level loop_returns = level::workgroup;  ///< of loops: returns inside
    bool blends = false;  ///< of stores to local variables: lanes that are off here may read the variable later
};

struct divergence {
    std::vector<level> values;     ///< by value
    std::vector<level> variables;  ///< by variable: its contents
    std::vector<std::vector<statement_facts>> statements;  ///< by block, then statement
    bool divergent_return = false;  ///< some lanes of a pack may end before others

    const statement_facts& at(ir::block_id b, std::size_t i) const { return statements[b.number][i]; }
};

divergence analyse_divergence(const ir::module& m, std::uint32_t lanes, std::uint32_t vectors);

}  // namespace quern::cpu::codegen
