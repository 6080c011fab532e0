// The least and the greatest float of a subgroup through integers of the same order, where NaN is put last.
#include "backends/spirv/lower/functions.hpp"

namespace quern::spirv::lower {

term subgroup_extreme(ir::op code, term x) {
    const number_format& f = format_of(x.kind());
    const std::uint64_t sign = std::uint64_t{1} << (f.width - 1), last = code == ir::op::subgroup_min ? sign - 1 : sign;
    // Two's complement counts the magnitudes of negative numbers backwards.
    const auto turn = [&](term n) { return select(n < 0, n ^ word(n, sign - 1), n); };
    const term bits = reinterpret(f.whole, x);
    const term key = select(is_nan(x), word(bits, last), turn(bits));
    return reinterpret(f.real, turn(key.in->make(code, {key})));
}

}  // namespace quern::spirv::lower
