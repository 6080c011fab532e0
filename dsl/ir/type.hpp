// Types of the IR, interned: equal types have equal ids within a module.
#pragma once

#include <quern/detail/type_desc.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "dsl/ir/ids.hpp"

namespace quern::ir {

using quern_detail::scalar_kind;
using quern_detail::type_kind;

/// One interned type; the layout is the host's. `members` is a slice of module::members.
struct type {
    type_kind kind = type_kind::none;
    scalar_kind scalar = scalar_kind::none;  ///< of scalars and vectors
    std::uint32_t count = 1;                 ///< components, elements or members
    std::uint32_t size_bytes = 0;
    std::uint32_t alignment_bytes = 1;
    type_id element{};                       ///< of arrays; of vectors: the component type
    slice members{};
};

struct member {
    std::uint32_t offset_bytes = 0;
    type_id type{};
    std::string name{};  ///< not part of identity or hash
};

constexpr bool is_float(scalar_kind k) {
    return k == scalar_kind::f16 || k == scalar_kind::bf16 || k == scalar_kind::f32 || k == scalar_kind::f64;
}
constexpr bool is_signed_integer(scalar_kind k) { return k >= scalar_kind::i8 && k <= scalar_kind::i64; }
constexpr bool is_unsigned_integer(scalar_kind k) { return k >= scalar_kind::u8 && k <= scalar_kind::u64; }
constexpr bool is_integer(scalar_kind k) { return k >= scalar_kind::i8 && k <= scalar_kind::u64; }
constexpr bool is_arithmetic(scalar_kind k) { return k >= scalar_kind::i8; }

/// Size in memory; a bool is one byte.
constexpr std::uint32_t size_bytes(scalar_kind k) {
    switch (k) {
        case scalar_kind::none: return 0;
        case scalar_kind::boolean: case scalar_kind::i8: case scalar_kind::u8: return 1;
        case scalar_kind::i16: case scalar_kind::u16: case scalar_kind::f16: case scalar_kind::bf16: return 2;
        case scalar_kind::i32: case scalar_kind::u32: case scalar_kind::f32: return 4;
        case scalar_kind::i64: case scalar_kind::u64: case scalar_kind::f64: return 8;
    }
    return 0;
}
constexpr std::uint32_t bit_width(scalar_kind k) { return k == scalar_kind::boolean ? 1 : 8 * size_bytes(k); }

/// Printed names: "bool", "i32", "f64" …; find_scalar is the inverse (none if unknown).
std::string_view name(scalar_kind k);
scalar_kind find_scalar(std::string_view name);

}  // namespace quern::ir
