// The operations of ops.def as the public headers see them: names only.
#pragma once

#include <cstdint>

namespace quern::quern_detail {

enum class op : std::uint8_t {
#define QUERN_OP(name, arity, operands, result, effect) name,
#include <quern/detail/ops.def>
#undef QUERN_OP
};

}  // namespace quern::quern_detail
