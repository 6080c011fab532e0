// Bits of the four float formats to host numbers and back, each conversion rounded once to nearest even.
// A NaN becomes the positive quiet NaN without payload, so that folding gives the same bits everywhere.
#pragma once

#include <cstdint>

#include "dsl/ir/type.hpp"

namespace quern::ir {

/// Fraction bits (without the hidden one) and exponent bias of a float kind.
struct float_format {
    int fraction_bits;
    int bias;
    std::uint64_t sign_mask;
    std::uint64_t infinity;  ///< bits of +infinity: the exponent field, all ones
};
float_format format_of(scalar_kind k);

/// The number that these bits of a float kind mean; exact, since double holds all four formats.
double decode_float(scalar_kind k, std::uint64_t bits);

/// Bits of the float kind nearest to the number; ties to even, overflow to infinity.
std::uint64_t encode_float(scalar_kind k, double number);

}  // namespace quern::ir
