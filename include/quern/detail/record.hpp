// What the language's objects call: appends to the trace in progress on this thread. Implemented in dsl/trace.
// Nodes are pure values that float until a statement uses them; places are memory. Handles are plain numbers.
#pragma once

#include <quern/detail/op.hpp>
#include <quern/detail/type_desc.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace quern::quern_detail {

using location = std::source_location;

/// A value of one trace (or a constant, which belongs to none). Mistakes found while one is made are kept in it and
/// reported by the statement that uses it, which knows the user's line.
struct node {
    std::uint32_t id = 0xffff'ffffu;
    std::uint32_t trace = 0xffff'ffffu;
};
/// Memory of one trace: a parameter, a variable, or a part of one.
struct place_handle {
    std::uint32_t id = 0xffff'ffffu;
    std::uint32_t trace = 0xffff'ffffu;
};

// values
node record_constant(const type_desc& type, const void* bytes);
/// A host value that the type cannot represent: an error once it is used.
node record_unrepresentable(const type_desc& type, double value);
node record_unrepresentable(const type_desc& type, long long value);
node record_unrepresentable(const type_desc& type, unsigned long long value);
node record_operation(op code, const type_desc& type, const node* operands, std::size_t count,
                      std::uint64_t immediate = 0);
/// Evaluates here and now and keeps it alive until the block ends: what `val` does.
node record_value(node n, const location& where);
/// Conversions and broadcasts that operators need.
node record_broadcast(node scalar, const type_desc& type);
/// The member of a struct's value at the end of a path of member numbers.
node record_member(node whole, const std::uint32_t* path, std::size_t length);
/// Element of an array's value; a traced index goes through a variable.
node record_array_element(node whole, node index, const type_desc& array, const type_desc& element, const location& where);
node record_parameter(std::uint32_t number, const type_desc& type);
node record_buffer_size(std::uint32_t number, const type_desc& type);
/// Operations with an effect (subgroup operations): executed here.
node record_convergent(op code, const type_desc& type, const node* operands, std::size_t count, const location& where);
node record_atomic(op code, const type_desc& type, place_handle place, const node* operands, std::size_t count,
                   const location& where);

// memory
place_handle record_parameter_place(std::uint32_t number, const type_desc& element);
place_handle record_variable(const type_desc& type, node initial, const location& where);
/// Per-invocation or per-workgroup array; extents row-major.
place_handle record_array(const type_desc& element, bool is_shared, const std::size_t* extents, std::size_t rank,
                          const location& where);
place_handle record_element(place_handle base, node index, const type_desc& type, const location& where);
place_handle record_component(place_handle base, std::uint32_t number, const type_desc& type);
/// `where` is null where the reader does not know its line: the statement that follows tells.
node record_load(place_handle place, const type_desc& type, const location* where);
node record_uniform_load(place_handle place, const type_desc& type, const location& where);
void record_store(place_handle place, node value, const location& where);

// control flow
void begin_if(node condition, const location& where);
/// Between the branches: conditions of elif_ are recorded here.
void begin_else();
/// The else branch proper.
void enter_else();
void end_if();
node begin_for(node first, node last, node step, const type_desc& type, const location& where);
void end_for();
void begin_while(const location& where);
void begin_while_body(node condition, const location& where);
void end_while();
void begin_switch(node selector, const type_desc& type, const location& where);
void begin_case(std::uint64_t literal);
void begin_otherwise();
void end_case();
void end_switch();
void record_break(const location& where);
void record_continue(const location& where);
void record_return(const location& where);
void record_barrier(const location& where);
void record_fence(bool device_scope, const location& where);
void record_assume(node condition, const location& where);

/// Throws usage_error "file:line: message".
[[noreturn]] void fail_usage(const char* message, const location& where);

}  // namespace quern::quern_detail
