// How each operation is written in CUDA C++: one row an op, checked against ops.def at compile time.
#pragma once

#include <span>
#include <string_view>

#include "dsl/ir/op.hpp"
#include "dsl/ir/type.hpp"

namespace quern::cuda {

/// Which part of the writer an op belongs to.
enum class form : std::uint8_t {
    inline_leaf,   ///< a literal or the name of a parameter or loop counter
    position,      ///< `unsigned_text` is an expression of the launch's variables
    elementwise,   ///< a text for each component
    compare,       ///< likewise, with a bool as result
    select, cast, bit_cast, construct, extract, insert, extract_dynamic, swizzle,
    load, uniform_load,
    atomic,        ///< `unsigned_text` takes the place's address as $p
    reduce,        ///< over a warp, by the text of the op `combination`
    scan,          ///< likewise
    lanes,         ///< `unsigned_text` for each component, $k: mask of the warp's threads
    ballot,
};

/// In texts: $0 $1 $2 operands, $t the component's type, $m its width in bits less one, $d the dimension as x, y, z.
/// half and bfloat16 use f32_text between conversions, unless an exception is listed.
struct rule {
    ir::op code;
    cuda::form form;
    std::string_view unsigned_text{};  ///< of uint and uint64, whose C++ operators wrap
    std::string_view other_text{};     ///< of signed and narrow integers
    std::string_view f32_text{};
    std::string_view f64_text{};
    ir::op combination = ir::op::constant;
};

const rule& rule_of(ir::op code);
/// The elementwise text of an op for a kind, exceptions included.
std::string_view text_of(ir::op code, ir::scalar_kind k);
/// The text computes in float between conversions.
bool is_computed_in_float(ir::op code, ir::scalar_kind k);
/// Warp reductions of 32-bit integers that sm_80 and later have as one instruction; empty for others.
std::string_view native_reduction(ir::op code, ir::scalar_kind k);
/// Every identifier of every text, for the names that users' values must not take.
std::span<const rule> all_rules();

}  // namespace quern::cuda
