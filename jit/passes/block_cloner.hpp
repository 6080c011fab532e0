// Copies the statements of a block within its module: what they define is new, what they use from outside is shared.
// Computes on the way what became known, so that a copied loop body has constant indices at once.
#pragma once

#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::jit {

class block_cloner {
public:
    explicit block_cloner(ir::module& m) : m_(m), values_(m.values.size()), variables_(m.variables.size()) {}

    /// From now on `by` stands for `v` in copies.
    void substitute(ir::value_id v, ir::value_id by);

    /// Appends a copy of the statements of `from`.
    void append_copy(ir::block_id from, ir::block& to);

private:
    ir::value_id of(ir::value_id v) const;
    ir::block_id copy(ir::block_id b);
    ir::value_id copy(ir::value_id v);
    ir::variable_id copy(ir::variable_id v);
    ir::place_id copy(ir::place_id p);
    ir::statement copy(const ir::statement& s);

    ir::module& m_;
    std::vector<ir::value_id> values_;        ///< by value: its latest copy, none for itself
    std::vector<ir::variable_id> variables_;  ///< by variable, likewise
};

}  // namespace quern::jit
