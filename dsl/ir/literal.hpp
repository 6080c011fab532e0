// Constants as text: "3u32", "-0.5f32", "true", "f32(0x7fc00001)". Every bit pattern survives the way there and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dsl/ir/type.hpp"

namespace quern::ir {

struct literal {
    scalar_kind kind = scalar_kind::none;
    std::uint64_t bits = 0;  ///< zero-extended
};

/// Decimal with the kind as suffix where that is exact, else the bits in parentheses after the kind.
std::string print_literal(literal l);
/// Of the form with a suffix or a bool; nothing where the text is no literal or its value does not fit.
std::optional<literal> parse_literal(std::string_view text);
/// Of what stands in the parentheses: "inf", "-inf", "nan" or hexadecimal bits.
std::optional<literal> parse_literal_bits(scalar_kind kind, std::string_view text);

/// True if no bit above the kind's width is set.
constexpr bool fits(literal l) {
    const std::uint32_t width = bit_width(l.kind);
    return width >= 64 || (l.bits >> width) == 0;
}

}  // namespace quern::ir
