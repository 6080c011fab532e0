// Values and places: flat tagged records. A value is computed where a `define` statement pins it; constants,
// parameters, sizes and positions (ops of arity 0 that are pure) may be defined too, and usually are.
#pragma once

#include <cstdint>

#include "dsl/ir/ids.hpp"
#include "dsl/ir/op.hpp"

namespace quern::ir {

/// {op, type, operands, immediate}. Operands are a slice of module::operands.
/// immediate, by op: constant: the value's bits, zero-extended (a vector constant is a construct of constants);
/// parameter, buffer_size: parameter number; global_id … extent: dimension; extract, insert: component or member;
/// swizzle: see ops.def; load, atomic_*: place number; else 0.
struct value {
    ir::op op = ir::op::constant;
    type_id type{};
    slice operands{};
    std::uint64_t immediate = 0;
};

/// Components that a swizzle's immediate selects: the 4-bit fields before the first 15, at most 4.
constexpr std::uint32_t swizzle_count(std::uint64_t immediate) {
    std::uint32_t count = 0;
    while (count < 4 && ((immediate >> (4 * count)) & 15) != 15) ++count;
    return count;
}

enum class root_kind : std::uint8_t { parameter, variable };

/// One step from a place to a part of it: an element (array, buffer or vector component, by a value) or a member.
struct step {
    enum class kind : std::uint8_t { index, member } kind = kind::index;
    value_id index{};          ///< of kind::index: any 32- or 64-bit integer scalar
    std::uint32_t member = 0;  ///< of kind::member: member number of a struct, component number of a vector
};

/// Memory reached from a root by steps. The first step from a buffer parameter is its element index.
/// A variable has its own type (an array for local_array and shared). `type` is what the place holds.
struct place {
    root_kind root = root_kind::variable;
    std::uint32_t number = 0;  ///< parameter or variable number
    type_id type{};
    slice steps{};             ///< of module::steps
};

enum class storage : std::uint8_t { local, shared };

/// Per-invocation (local) or per-workgroup (shared) storage. Both start undefined.
struct variable {
    ir::storage storage = storage::local;
    type_id type{};
};

enum class parameter_kind : std::uint8_t { buffer, value };
enum class access : std::uint8_t { read, write, read_write };

struct parameter {
    parameter_kind kind = parameter_kind::buffer;
    ir::access access = access::read;  ///< of buffers
    bool aliased = false;              ///< may equal another argument element for element
    type_id type{};                    ///< element type of a buffer, type of a value
};

}  // namespace quern::ir
