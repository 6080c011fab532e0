// Decides whether a module means something: types, scopes, uniformity, block structure. A module that passes never
// makes a backend fail, except for capabilities that the target declares absent.
#pragma once

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// Throws usage_error "file:line: …" about the first mistake of the user's (divergent barrier, subgroup operation
/// in divergent control …), internal_error where the module itself is malformed.
void validate(const module& m);

/// "file.cpp:17" of a location, or the kernel's name where there is none.
std::string describe(const module& m, location_id l);

}  // namespace quern::ir
