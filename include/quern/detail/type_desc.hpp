// How a C++ type describes itself to the library: plain constant data, compared by structure, never by address.
#pragma once

#include <cstdint>

namespace quern::quern_detail {

/// Every scalar the language knows. The order is part of the printed and hashed form: append only.
enum class scalar_kind : std::uint8_t {
    none, boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64,
};

enum class type_kind : std::uint8_t { none, scalar, vector, array, structure };

struct type_desc;

struct member_desc {
    const char* name;
    std::uint32_t offset_bytes;
    const type_desc* type;
};

/// A type as the host lays it out. `count` is the number of vector components, array elements or members.
struct type_desc {
    type_kind kind = type_kind::none;
    scalar_kind scalar = scalar_kind::none;  ///< of scalars and vectors
    std::uint32_t count = 1;
    std::uint32_t size_bytes = 0;
    std::uint32_t alignment_bytes = 1;
    const type_desc* element = nullptr;      ///< of arrays
    const member_desc* members = nullptr;    ///< of structures
    const char* name = "";                   ///< of structures; not part of the identity
};

}  // namespace quern::quern_detail
