// Exchanges between the lanes of a subgroup, computed for all of them at once with plain loops.
#pragma once

#include <span>

#include "backends/reference/invocation.hpp"

namespace quern::reference {

/// Writes the convergent value `v` of every lane. `lanes` are the invocations that take part, by their lane number in
/// ascending order; the others are off and are not read. Reading a lane that is off gives 0.
void exchange(const decoded_kernel& k, ir::value_id v, std::span<invocation* const> lanes);

}  // namespace quern::reference
