// Side table: what is known of integers. The range of each value, and which operations never meet the case that their
// meaning guards: a wrap, a divisor of 0, the quotient that does not fit, a shift by the width or more.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

__extension__ using wide_integer = __int128;  ///< holds the bounds of every integer kind and their sums

/// Inclusive bounds of an integer scalar, or of each component of a vector.
struct range {
    wide_integer first = 0, last = 0;
    bool without_zero = false;  ///< 0 may lie between the bounds, the value is not 0

    bool contains(wide_integer n) const { return first <= n && n <= last && !(n == 0 && without_zero); }
    bool is_within(wide_integer low, wide_integer high) const { return low <= first && last <= high; }
};

/// All numbers of an integer kind; 0 and 1 for bool.
range full_range(scalar_kind k);

/// running: facts about invocations where they compute the value; conditions around it, assumptions, loop bounds and
/// launch limits count. every_lane: facts that also hold for whatever a vector computes in lanes that are off, which
/// have other positions and fail conditions. A value that is uniform among the lanes needs `running` only.
enum class holds_for : std::uint8_t { running, every_lane };

struct range_table {
    enum class fact : std::uint8_t { never_wraps = 1, never_divides_by_zero = 2, never_overflows = 4, stays_in_width = 8 };

    std::vector<range> values;        ///< by value; meaningless for what is no integer, bool or vector of these
    std::vector<std::uint8_t> facts;  ///< by value

    const range& range_of(value_id v) const { return values[v.number]; }
    /// add, sub, mul, neg, abs, shl, cast: the exact result fits the type.
    bool never_wraps(value_id v) const { return has(v, fact::never_wraps); }
    /// div, rem: no divisor is 0.
    bool never_divides_by_zero(value_id v) const { return has(v, fact::never_divides_by_zero); }
    /// div, rem: no divisor is -1 under the smallest number; always so for unsigned kinds.
    bool never_overflows(value_id v) const { return has(v, fact::never_overflows); }
    /// shl, shr: no count is as large as the width.
    bool stays_in_width(value_id v) const { return has(v, fact::stays_in_width); }

private:
    bool has(value_id v, fact f) const { return (facts[v.number] & static_cast<std::uint8_t>(f)) != 0; }
};

/// Linear.
range_table analyse_ranges(const module& m, holds_for who);

}  // namespace quern::ir
