// The checks that the validator is made of. Each is linear; each relies on those before it. Text and bytes that come
// from outside run the first three and turn what they find into a usage_error of their own.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "dsl/ir/module.hpp"
#include "dsl/ir/validator.hpp"

namespace quern::ir {

/// What is wrong with a module that nothing of Quern's should have made: "file:line: …".
struct malformation {
    std::string text;
};

template <class... T>
[[noreturn]] void reject(const module& m, location_id at, fmt::format_string<T...> format, T&&... arguments) {
    throw malformation{describe(m, at) + ": " + fmt::format(format, std::forward<T>(arguments)...)};
}

/// Types may nest this deep.
inline constexpr std::uint32_t max_type_depth = 64;

/// Every handle and slice lies within its arena; types are laid out soundly and refer to earlier types only.
void check_handles(const module& m);
/// Parameters, variables, places and values obey the rules of ops.def.
void check_types(const module& m);
/// Blocks form a tree, values and variables are used where they live, statements have operands of the right types.
/// A value used outside its block is a usage_error, everything else a malformation.
void check_structure(const module& m);
/// The three above: afterwards nothing can index out of range.
void check_well_formed(const module& m);
/// Barriers and subgroup operations stand in uniform control, and the kernel says what cooperation needs: usage_error.
void check_uniformity(const module& m);

/// A step that is known is positive: usage_error. Passes that make steps known ask as well.
void check_step(const module& m, const for_statement& l, value_id step, location_id at);

/// The types of one statement's operands; a part of check_structure.
void check_statement(const module& m, const statement& s, location_id at);

}  // namespace quern::ir
