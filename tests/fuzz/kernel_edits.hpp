// Edits of a kernel for the shrinker, and what it must know to leave the meaning defined.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::fuzz {

/// What an edit must leave as it is.
struct kernel_facts {
    std::vector<bool> used;           ///< by value: something that is reached uses it
    std::vector<bool> frozen;         ///< by value: decides who owns or fills an element, which lane is read, or hides a NaN
    std::vector<std::size_t> loads;   ///< by variable: loads and atomics that are reached
    std::vector<std::size_t> reads;   ///< by parameter: likewise
    std::vector<ir::block_id> blocks; ///< reached from the body, outer ones first
    bool exchanges = false;           ///< memory goes from one invocation to another, so barriers have to stay
};
kernel_facts examine(const ir::module& m);

/// Removes statements first … first + count - 1 of a block, but for those whose loss could leave something undefined.
/// Other values that are used elsewhere become zero. False if nothing went.
bool remove_statements(ir::module& m, ir::block_id b, std::size_t first, std::size_t count);

/// Number of ways in which statement `at` can be replaced by what is in it; way 0 … n-1.
std::size_t ways_to_unwrap(const ir::module& m, ir::block_id b, std::size_t at);
void unwrap(ir::module& m, ir::block_id b, std::size_t at, std::size_t way);

/// Every use of `from` becomes one of `to`.
void replace_uses(ir::module& m, ir::value_id from, ir::value_id to);

/// The value becomes the constant (in all components) with these bits where it is defined. False if it has no such form.
bool make_constant(ir::module& m, ir::block_id b, std::size_t at, std::uint64_t bits);

/// Removes what nothing uses.
void remove_dead(ir::module& m);

}  // namespace quern::fuzz
