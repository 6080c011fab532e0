// The calls of <quern/detail/record.hpp>: finds the recorder of this thread, or says that there is none.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include <quern/detail/parameter_desc.hpp>
#include <quern/error.hpp>
#include <quern/tuning.hpp>

#include "dsl/trace/constants.hpp"
#include "dsl/trace/recorder.hpp"

namespace quern::quern_detail {

using trace::recorder;

static_assert(static_cast<int>(op::subgroup_ballot) == static_cast<int>(ir::op::subgroup_ballot));

kernel_body::~kernel_body() = default;

namespace {

constexpr const char* outside = "this belongs inside a kernel: nothing is being traced on this thread";

ir::op to_ir(op code) { return static_cast<ir::op>(code); }

recorder& required(const location& where) {
    if (recorder* r = recorder::current()) return *r;
    throw usage_error(fmt::format("{}:{}: {}", where.file_name(), where.line(), outside));
}
/// For calls that know no line: the object that they need cannot have been made outside a kernel.
recorder& required() {
    if (recorder* r = recorder::current()) return *r;
    throw usage_error(outside);
}

node mistake(std::string message) {
    if (recorder* r = recorder::current()) return r->mistake(std::move(message));
    return trace::keep_mistake(std::move(message));
}

template <class V>
node unrepresentable(const type_desc& type, V value) {
    return mistake(fmt::format("the host value {} does not fit the traced operand's type {}: write another literal or "
                               "cast<T>(e)", value, ir::name(type.scalar)));
}

/// A construct of constants outside a trace: `static val v = …` of a vector.
node construct_constant(const type_desc& type, const node* operands, std::size_t count) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < count; ++i) {
        if (operands[i].trace == trace::mistake_trace) return operands[i];
        if (operands[i].trace != trace::constant_trace) return trace::keep_mistake(outside);
        const auto& part = trace::constant_of(operands[i]).bytes;
        bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return trace::intern_constant(type, bytes);
}

}  // namespace

node record_constant(const type_desc& type, const void* bytes) {
    const std::span<const std::byte> span(static_cast<const std::byte*>(bytes), type.size_bytes);
    if (recorder* r = recorder::current()) return r->constant(type, span);
    return trace::intern_constant(type, span);
}

node record_unrepresentable(const type_desc& type, double value) { return unrepresentable(type, value); }
node record_unrepresentable(const type_desc& type, long long value) { return unrepresentable(type, value); }
node record_unrepresentable(const type_desc& type, unsigned long long value) { return unrepresentable(type, value); }

node record_operation(op code, const type_desc& type, const node* operands, std::size_t count, std::uint64_t immediate) {
    if (recorder* r = recorder::current()) return r->operation(to_ir(code), type, {operands, count}, immediate);
    if (code == op::construct) return construct_constant(type, operands, count);
    return trace::keep_mistake(outside);
}

node record_value(node n, const location& where) {
    if (recorder* r = recorder::current()) return r->name_value(n, where);
    if (n.trace == trace::constant_trace) return n;
    const std::string message = n.trace == trace::mistake_trace ? trace::mistake_of(n) : outside;
    throw usage_error(fmt::format("{}:{}: {}", where.file_name(), where.line(), message));
}

node record_broadcast(node scalar, const type_desc& type) {
    const node operands[] = {scalar, scalar, scalar, scalar};
    return record_operation(op::construct, type, operands, type.count);
}

node record_member(node whole, const std::uint32_t* path, std::size_t length) {
    if (recorder* r = recorder::current()) return r->member(whole, {path, length});
    return trace::keep_mistake(outside);
}
node record_array_element(node whole, node index, const type_desc& array, const type_desc& element, const location& where) {
    return required(where).array_element(whole, index, array, element, where);
}
node record_parameter(std::uint32_t number, const type_desc& type) {
    return record_operation(op::parameter, type, nullptr, 0, number);
}
node record_buffer_size(std::uint32_t number, const type_desc& type) {
    return record_operation(op::buffer_size, type, nullptr, 0, number);
}

node record_convergent(op code, const type_desc& type, const node* operands, std::size_t count, const location& where) {
    return required(where).pin(to_ir(code), type, {operands, count}, 0, where);
}
node record_atomic(op code, const type_desc& type, place_handle place, const node* operands, std::size_t count,
                   const location& where) {
    return required(where).atomic(to_ir(code), type, place, {operands, count}, where);
}

place_handle record_parameter_place(std::uint32_t number, const type_desc&) { return required().parameter_place(number); }
place_handle record_variable(const type_desc& type, node initial, const location& where) {
    return required(where).variable(type, &initial, ir::storage::local, where);
}
place_handle record_array(const type_desc& element, bool is_shared, const std::size_t* extents, std::size_t rank,
                          const location& where) {
    return required(where).array(element, is_shared ? ir::storage::shared : ir::storage::local, {extents, rank}, where);
}
place_handle record_element(place_handle base, node index, const type_desc&, const location& where) {
    return required(where).element(base, index, where);
}
place_handle record_component(place_handle base, std::uint32_t number, const type_desc&) {
    return required().component(base, number);
}
node record_load(place_handle place, const type_desc& type, const location* where) {
    return (where ? required(*where) : required()).load(ir::op::load, place, type, where);
}
node record_uniform_load(place_handle place, const type_desc& type, const location& where) {
    recorder& r = required(where);
    r.append(ir::barrier{}, where);
    const node n = r.load(ir::op::uniform_load, place, type, &where);
    r.append(ir::barrier{}, where);
    return n;
}
void record_store(place_handle place, node value, const location& where) { required(where).store(place, value, where); }

void begin_if(node condition, const location& where) { required(where).begin_if(condition, where); }
// The closing calls come from destructors as well: without a recorder there is nothing to close.
void begin_else() { if (recorder* r = recorder::current()) r->begin_else(); }
void enter_else() { if (recorder* r = recorder::current()) r->enter_else(); }
void end_if() { if (recorder* r = recorder::current()) r->end_if(); }
node begin_for(node first, node last, node step, const type_desc& type, const location& where) {
    return required(where).begin_for(first, last, step, type, where);
}
void end_for() { required().end_for(); }
void begin_while(const location& where) { required(where).begin_while(where); }
void begin_while_body(node condition, const location& where) { required(where).begin_while_body(condition, where); }
void end_while() { required().end_while(); }
void begin_switch(node selector, const type_desc& type, const location& where) {
    required(where).begin_switch(selector, type, where);
}
void begin_case(std::uint64_t literal) { required().begin_case(literal); }
void begin_otherwise() { required().begin_otherwise(); }
void end_case() { required().end_case(); }
void end_switch() { required().end_switch(); }
void record_break(const location& where) { required(where).leave(ir::break_statement{}, where); }
void record_continue(const location& where) { required(where).leave(ir::continue_statement{}, where); }
void record_return(const location& where) { required(where).leave(ir::return_statement{}, where); }
void record_barrier(const location& where) { required(where).append(ir::barrier{}, where); }
void record_fence(bool device_scope, const location& where) {
    required(where).append(ir::fence{device_scope ? ir::scope::device : ir::scope::workgroup}, where);
}
void record_assume(node condition, const location& where) { required(where).assume(condition, where); }

void fail_usage(const char* message, const location& where) {
    if (recorder* r = recorder::current()) r->fail(message, where);
    throw usage_error(fmt::format("{}:{}: {}", where.file_name(), where.line(), message));
}

void record_workgroup_size(std::uint64_t x, std::uint64_t y, std::uint64_t z, const location& where) {
    required(where).set_workgroup_size(x, y, z, where);
}
void record_covers(std::uint64_t m, std::uint64_t n, const location& where) { required(where).set_covers(m, n, where); }
void record_math_mode(math m, const location& where) {
    required(where).set_math_mode(static_cast<ir::math_mode>(m), where);
}
void record_requirement(bool holds) { required().require(holds); }
std::int64_t record_tunable(const char* name, const std::int64_t* values, std::size_t count, const location& where) {
    if (count > 64) required(where).fail(fmt::format("tune(\"{}\") has more than 64 values", name), where);
    return required(where).tunable_value(name, {values, count}, where);
}
const target_info& record_target(const location& where) { return required(where).target(); }

static_assert(static_cast<int>(math::contract) == static_cast<int>(ir::math_mode::contract) &&
              static_cast<int>(math::precise) == static_cast<int>(ir::math_mode::precise) &&
              static_cast<int>(math::fast) == static_cast<int>(ir::math_mode::fast));

}  // namespace quern::quern_detail
