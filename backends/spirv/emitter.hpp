// Writes one lowered module as a SPIR-V entry point "main". One object a module; its parts are spread over files:
// types.cpp, memory.cpp, values.cpp, conversions.cpp, positions.cpp, statements.cpp, subgroups.cpp, atomics.cpp.
// Integers are unsigned in SPIR-V throughout: operations say how they take them.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <array>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/spirv/assembler.hpp"
#include "backends/spirv/launch_block.hpp"
#include "backends/spirv/lowering.hpp"
#include "dsl/ir/module.hpp"

namespace quern::spirv {

/// How values lie in a piece of memory.
enum class representation : std::uint8_t {
    native,  ///< as in registers: local and shared variables
    packed,  ///< the host's layout: a bool is a byte
    bits,    ///< as packed or native, floats as unsigned integers: places of emulated float atomics
};

/// A pointer with what one must know to use it.
struct pointer {
    id address = 0;
    spv::StorageClass storage = spv::StorageClassFunction;
    representation form = representation::native;
    bool is_packed = false;  ///< host layout, also where form is bits
    ir::type_id type{};      ///< what it points to
};

enum class debug_lines : std::uint8_t { omit, include };

class emitter {
public:
    emitter(const lowered_module& l, const features& f, debug_lines d);
    std::vector<word> emit();

private:
    friend struct rule_table;

    // ---- building (emitter.cpp) ----
    id compute(spv::Op code, id type, std::initializer_list<word> operands) {
        return code_.add_result(section::body, code, type, operands);
    }
    void act(spv::Op code, std::initializer_list<word> operands) { code_.add(section::body, code, operands); }
    id extended(GLSLstd450 code, id type, std::initializer_list<id> operands);
    /// Arithmetic on floats, decorated where contraction is not allowed.
    id float_math(spv::Op code, id type, std::initializer_list<word> operands);
    id u32(std::uint32_t n) { return integer(32, n); }
    id u32_type() { return integer_type(32); }
    id integer(std::uint32_t width, std::uint64_t n);
    id scalar_constant(ir::scalar_kind k, std::uint64_t bits);
    /// The constant in every component.
    id splat(id constant, id type, std::uint32_t width);
    id like(ir::type_id t, std::uint64_t n);  ///< an integer constant of a scalar or vector type
    /// Result of `make` in the entry block, made once: loads of built-ins and of the launch block.
    id once(std::uint64_t key, const std::function<id()>& make);
    void set_line(ir::location_id l);

    // ---- types (types.cpp) ----
    id void_type() { return code_.intern_type(spv::OpTypeVoid, {}); }
    id bool_type(std::uint32_t width = 1);
    enum class use : std::uint8_t { arithmetic, storage };
    id integer_type(std::uint32_t bit_width, std::uint32_t width = 1, use u = use::arithmetic);
    id float_type(std::uint32_t bit_width, std::uint32_t width = 1);
    id scalar_type(ir::scalar_kind k, std::uint32_t width = 1);
    id native_type(ir::type_id t) { return type_in(t, representation::native, false); }
    id type_in(ir::type_id t, representation form, bool packed);
    id make_type(ir::type_id t, representation form, bool packed);
    id pointer_type(spv::StorageClass s, id to) { return code_.intern_type(spv::OpTypePointer, {static_cast<word>(s), to}); }
    void require_storage(std::uint32_t bit_width, spv::StorageClass s);
    void require_storage_of(ir::type_id t, spv::StorageClass s);
    const ir::type& type_of(ir::value_id v) const { return m_.type_of(v); }

    // ---- memory (memory.cpp) ----
    void declare_interface();
    id buffer_type(std::uint32_t parameter);
    void declare_variables();
    pointer root_of(const ir::place& p);
    pointer resolve(ir::place_id p);
    pointer part(const pointer& whole, std::uint32_t number);
    id load(const pointer& from);
    void store(const pointer& to, id value);
    void add_access_words(std::vector<word>& words, const pointer& p, std::uint32_t alignment) const;
    id index_operand(ir::value_id v, bool is_buffer);
    bool is_shared_between_invocations(spv::StorageClass s) const;
    id block_member_pointer(const block_member& b, id type, std::uint32_t component);
    id block_load(const block_member& b, id type, std::uint32_t alignment, std::uint32_t component = 0);
    id buffer_pointer(std::uint32_t parameter);
    representation form_of(const ir::place& p) const;

    // ---- values ----
    void define(ir::value_id v);
    id operand(ir::value_id v, std::size_t i) { return ids_[m_.operands_of(v)[i].number]; }
    id simple(ir::value_id v, spv::Op code);
    id constant(ir::value_id v);
    id parameter(ir::value_id v);
    id divide(ir::value_id v);
    id remainder(ir::value_id v);
    id divisor(ir::value_id v);
    id negate(ir::value_id v);
    id absolute(ir::value_id v);
    id minimum(ir::value_id v);
    id maximum(ir::value_id v);
    id extreme(ir::value_id v, bool smaller);
    id fused(ir::value_id v);
    id shift(ir::value_id v);
    id count_bits(ir::value_id v);
    id leading_zeros(ir::value_id v);
    id trailing_zeros(ir::value_id v);
    id reverse(ir::value_id v);
    id select(ir::value_id v);
    id cast(ir::value_id v);
    id reinterpret(ir::value_id v);
    id construct(ir::value_id v);
    id extract(ir::value_id v);
    id insert(ir::value_id v);
    id extract_dynamic(ir::value_id v);
    id swizzle(ir::value_id v);
    id float_function(ir::value_id v);
    id memory_load(ir::value_id v);
    id uniform_load(ir::value_id v);
    id atomic(ir::value_id v);
    id atomic_by_exchange(ir::value_id v, const pointer& at, id operand_bits);
    id combine(ir::op code, ir::scalar_kind k, id type, id a, id b);
    id extreme_of(ir::scalar_kind k, std::uint32_t width, id a, id b, bool smaller);
    id position(ir::value_id v);
    id builtin_component(spv::BuiltIn b, std::uint32_t dimension);
    id builtin(spv::BuiltIn b, id type);
    id block_number(block_content c, std::uint32_t dimension);
    id local_position(std::uint32_t dimension);
    id global_position(std::uint32_t dimension, std::uint32_t bit_width);
    id subgroup_operation(ir::value_id v);
    id shuffle(ir::value_id v, id source_lane);
    id float_to_integer(id x, ir::scalar_kind from, ir::scalar_kind to, std::uint32_t width);
    id resize_integer(id x, std::uint32_t from, std::uint32_t to, bool is_signed, std::uint32_t width);

    // ---- statements (statements.cpp) ----
    void begin_block(id label);
    void branch(id to);
    void write_block(ir::block_id b);
    void write(const ir::if_statement& s);
    void write(const ir::for_statement& s);
    void write(const ir::while_statement& s);
    void write(const ir::switch_statement& s);
    void barrier();
    void memory_fence(ir::scope s);
    void write_body();

    struct loop {
        id merge, next;
    };

    const ir::module& m_;
    const std::vector<bool>& exact_;
    const features f_;
    const launch_block block_;
    const debug_lines debug_;
    assembler code_;
    std::vector<id> ids_;                       ///< by value
    std::vector<pointer> variables_;            ///< by variable
    std::vector<bool> bits_parameters_, bits_variables_;
    std::vector<id> descriptors_;               ///< by parameter
    std::vector<id> buffer_types_;              ///< by parameter: pointers to its elements' block
    std::vector<id> interface_;
    std::unordered_map<std::uint64_t, id> once_, types_;
    std::vector<loop> loops_;
    id block_variable_ = 0, block_type_ = 0;
    std::vector<std::uint32_t> block_index_;    ///< struct member number by launch_block member
    id current_label_ = 0;
    bool terminated_ = false;
    bool is_flat_ = false;                      ///< the workgroup is one row, so that lanes follow the flat local id
    bool synchronises_ = false;                 ///< barriers or fences: accesses are ordered between invocations
    bool has_fences_ = false;
    bool exact_now_ = false;                    ///< the value being defined must not be contracted
    ir::location_id line_;
};

/// Checks what the device lacks, then lowers and writes. Throws compile_error that names op, type and the user's line.
std::vector<word> write_module(const ir::module& m, const features& f, debug_lines d);

/// The readable form, and what is wrong with a module ("" if nothing), by SPIRV-Tools.
std::string disassemble(std::span<const word> words);
std::string validation_errors(std::span<const word> words);

/// Throws compile_error for the first op × type that the features do not allow.
void check_capabilities(const ir::module& m, const features& f);

}  // namespace quern::spirv
