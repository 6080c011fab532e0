// Appends to a module: interns types, computes result types from ops.def, keeps a cursor of open blocks.
// It does not judge: the validator does. Used by the recorder, the parser's users, passes, tests and the fuzzer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "dsl/ir/module.hpp"

namespace quern::ir {

/// Interned type ids of a module; adds the type when it is new.
type_id intern_none(module& m);
type_id intern_scalar(module& m, scalar_kind k);
type_id intern_vector(module& m, scalar_kind k, std::uint32_t components);
type_id intern_array(module& m, type_id element, std::uint32_t count);
/// Members carry offsets; size and alignment are the host's.
type_id intern_struct(module& m, std::span<const member> members, std::uint32_t size_bytes, std::uint32_t alignment_bytes);
/// From a C++ type's description.
type_id intern(module& m, const quern_detail::type_desc& description);

/// The type that `op` yields for these operands, or none where the rule says `given`.
type_id result_type(module& m, op code, std::span<const value_id> operands);

class builder {
public:
    explicit builder(module& m) : module_(m) {}

    module& target() { return module_; }

    /// Opens a new block as the cursor; end_block closes it and returns it. Statements go to the innermost open one.
    block_id begin_block();
    block_id end_block();
    block_id current() const { return open_.back(); }

    /// Location given to what is appended from now on.
    void set_location(location_id l) { location_ = l; }

    /// Appends a value record without a define statement.
    value_id make(op code, type_id type, std::span<const value_id> operands, std::uint64_t immediate = 0);
    /// Appends the record and the statement that defines it; the type is computed unless given.
    value_id define(op code, std::initializer_list<value_id> operands, std::uint64_t immediate = 0, type_id type = {});
    value_id define(op code, std::span<const value_id> operands, std::uint64_t immediate = 0, type_id type = {});
    value_id constant(scalar_kind k, std::uint64_t bits);

    parameter_id add_parameter(parameter p);
    variable_id add_variable(variable v);
    place_id add_place(root_kind root, std::uint32_t number, std::span<const step> steps);
    value_id load(place_id p);
    void append(statement s);
    /// A switch over literal cases; blocks must be closed.
    void append_switch(value_id selector, std::span<const switch_case> cases, block_id default_block);

private:
    module& module_;
    std::vector<block_id> open_;
    location_id location_;
};

}  // namespace quern::ir
