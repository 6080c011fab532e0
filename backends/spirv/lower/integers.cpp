// Bit counts of widths that SPIR-V's instructions do not take: in halves, or widened to 32 bits.
#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {
namespace {

using enum ir::scalar_kind;

struct halves {
    term low, high;
};

halves split(term x) {
    const term w = reinterpret(u64, x);
    return {cast(u32, w), cast(u32, shr(w, 32))};
}

ir::scalar_kind unsigned_of(std::uint32_t width) { return width == 8 ? u8 : width == 16 ? u16 : width == 32 ? u32 : u64; }

/// Zero-extended to 32 bits.
term widened_word(term x) { return cast(u32, reinterpret(unsigned_of(ir::bit_width(x.kind())), x)); }

}  // namespace

term count_bits(term x) {
    if (ir::bit_width(x.kind()) < 32) return cast(x.kind(), call(ir::op::popcount, widened_word(x)));
    const halves h = split(x);
    return cast(x.kind(), call(ir::op::popcount, h.low) + call(ir::op::popcount, h.high));
}

term leading_zeros(term x) {
    const std::uint32_t width = ir::bit_width(x.kind());
    if (width < 32) return cast(x.kind(), call(ir::op::clz, widened_word(x)) - (32 - width));
    const halves h = split(x);
    return cast(x.kind(), select(h.high == 0, call(ir::op::clz, h.low) + 32, call(ir::op::clz, h.high)));
}

term trailing_zeros(term x) {
    const std::uint32_t width = ir::bit_width(x.kind());
    if (width < 32) return cast(x.kind(), call(ir::op::ctz, widened_word(x) | x.in->bits(u32, std::uint64_t{1} << width)));
    const halves h = split(x);
    return cast(x.kind(), select(h.low == 0, call(ir::op::ctz, h.high) + 32, call(ir::op::ctz, h.low)));
}

term reverse_bits(term x) {
    const std::uint32_t width = ir::bit_width(x.kind());
    if (width < 32) return cast(x.kind(), shr(call(ir::op::reverse_bits, widened_word(x)), 32 - width));
    const halves h = split(x);
    const term high = cast(u64, call(ir::op::reverse_bits, h.low)), low = cast(u64, call(ir::op::reverse_bits, h.high));
    return reinterpret(x.kind(), shl(high, 32) | low);
}

}  // namespace quern::spirv::lower
