// Statements: small closed variants, visited exhaustively. Blocks own them; each has a location in a side table.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "dsl/ir/ids.hpp"

namespace quern::ir {

/// Computes `value` here. Every value is defined exactly once, before its uses, in an enclosing block;
/// only op::induction is defined by its for_statement instead.
struct define { value_id value; };
/// Begins the life of a local variable, undefined, anew each time it is reached. Shared variables have none.
struct declare { variable_id variable; };
struct store { place_id place; value_id value; };
struct if_statement { value_id condition; block_id then_block; block_id else_block; };
/// for (induction = first; induction < last; induction += step), all of the induction's integer type;
/// step > 0; never wraps at its end. last and step are evaluated once, before.
struct for_statement { value_id induction, first, last, step; block_id body; };
/// Runs `head`, leaves if `condition` (defined in head) is false, runs `body`, repeats. continue goes to head.
struct while_statement { block_id head; value_id condition; block_id body; };
struct switch_case { std::uint64_t literal; block_id body; };
/// Runs the one case whose literal equals the integer selector, or default_block. Cases do not fall through.
struct switch_statement { value_id selector; slice cases; block_id default_block; };
struct break_statement {};      ///< leaves the innermost for or while
struct continue_statement {};
struct return_statement {};     ///< ends the invocation
struct barrier {};              ///< workgroup-uniform control only; orders shared and global memory
enum class scope : std::uint8_t { workgroup, device };
struct fence { ir::scope scope = scope::workgroup; };
/// Promise that a bool value is true; undefined behaviour otherwise.
struct assume { value_id condition; };

using statement = std::variant<define, declare, store, if_statement, for_statement, while_statement, switch_statement,
                               break_statement, continue_statement, return_statement, barrier, fence, assume>;

struct block {
    std::vector<statement> statements;
    std::vector<location_id> locations;  ///< side table, parallel to statements
};

}  // namespace quern::ir
