// A module prepared for interpretation: each value has its slots in an invocation's registers, each variable its place
// in local or shared storage, each op one of a few ways to be executed. Nothing is optimised.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/reference/layout.hpp"
#include "dsl/ir/module.hpp"

namespace quern::reference {

/// How a value is computed.
enum class action : std::uint8_t {
    elementwise, constant, parameter, buffer_size, induction, position, reinterpret, construct, extract, insert,
    extract_dynamic, swizzle, load, uniform_load, atomic, exchange,
};

struct instruction {
    reference::action action = action::constant;
    ir::op op = ir::op::constant;
    ir::scalar_kind result = ir::scalar_kind::none;   ///< of scalars and vectors
    ir::scalar_kind operand = ir::scalar_kind::none;  ///< as ir::evaluate wants it
    std::uint32_t slot = 0;                           ///< first register
    std::uint32_t components = 0;
};

/// Refers to the module, which must outlive it.
class decoded_kernel {
public:
    explicit decoded_kernel(const ir::module& m);

    const ir::module& module() const { return module_; }
    const layouts& types() const { return types_; }
    const instruction& operator[](ir::value_id v) const { return instructions_[v.number]; }
    std::uint32_t slot(ir::value_id v) const { return instructions_[v.number].slot; }
    std::uint32_t register_count() const { return register_count_; }

    /// First component of a variable within its storage, and how many components each storage has.
    std::uint32_t variable_first(std::uint32_t variable) const { return variable_first_[variable]; }
    std::uint32_t local_count() const { return local_count_; }
    std::uint32_t shared_count() const { return shared_count_; }

    /// By parameter: the number among the buffers, or the offset in bytes in the launch's values.
    std::uint32_t parameter_position(std::uint32_t parameter) const { return parameter_position_[parameter]; }
    std::uint32_t values_size_bytes() const { return values_size_bytes_; }
    std::uint32_t buffer_count() const { return buffer_count_; }

    /// "kernel 'saxpy', saxpy.cpp:17: "; the beginning of every message about a statement.
    std::string describe(ir::location_id l) const;
    /// The name of a place's root as the user wrote it, where it is known.
    std::string root_name(const ir::place& p) const;

private:
    void decode_value(ir::value_id v);
    void place_variables();
    void place_parameters();

    const ir::module& module_;
    layouts types_;
    std::vector<instruction> instructions_;
    std::vector<std::uint32_t> variable_first_;
    std::vector<std::uint32_t> parameter_position_;
    std::uint32_t register_count_ = 0, local_count_ = 0, shared_count_ = 0, values_size_bytes_ = 0, buffer_count_ = 0;
};

}  // namespace quern::reference
