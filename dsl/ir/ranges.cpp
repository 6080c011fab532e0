#include "dsl/ir/ranges.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "dsl/ir/keywords.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

using wide = wide_integer;
using fact = range_table::fact;

constexpr wide power_of_two(std::uint32_t n) { return wide{1} << n; }
/// No object in memory has more elements, no launch that ends more invocations.
constexpr wide largest_count = power_of_two(63) - 1;

bool excludes_zero(const range& r) { return !r.contains(0); }
wide magnitude(wide n) { return n < 0 ? -n : n; }
range join(const range& a, const range& b) {
    return {std::min(a.first, b.first), std::max(a.last, b.last), excludes_zero(a) && excludes_zero(b)};
}
range hull(std::initializer_list<wide> corners) { return {std::min(corners), std::max(corners)}; }

/// The products of the corners, or a range that fits no kind.
range multiply(const range& a, const range& b) {
    range all{power_of_two(126), -power_of_two(126)};
    for (const wide x : {a.first, a.last})
        for (const wide y : {b.first, b.last}) {
            wide product = 0;
            if (__builtin_mul_overflow(x, y, &product)) return {-power_of_two(126), power_of_two(126)};
            all.first = std::min(all.first, product);
            all.last = std::max(all.last, product);
        }
    all.without_zero = excludes_zero(a) && excludes_zero(b);
    return all;
}

/// 2^k - 1 with the same highest bit as n >= 0.
wide fill_bits(wide n) {
    wide mask = 0;
    while (mask < n) mask = mask * 2 + 1;
    return mask;
}

class analysis {
public:
    analysis(const module& m, holds_for who) : m_(m), running_(who == holds_for::running), current_(m.values.size()) {
        table_.values.resize(m.values.size());
        table_.facts.resize(m.values.size());
        wide_launch_ = std::ranges::any_of(m.values, [&](const value& v) {
            return has_dimension(v.op) && m[v.type].scalar == scalar_kind::u64;
        });
    }

    range_table run() {
        walk(m_.body);
        return std::move(table_);
    }

private:
    using rule = range (analysis::*)(value_id v);
    struct rule_row {
        op code;
        rule compute;
    };
    static const std::array<rule, op_count> rules;

    // ---- where values are computed: conditions narrow the ranges of what is visible ----

    const range& of(value_id v) const { return current_[v.number]; }
    scalar_kind kind(value_id v) const { return m_.type_of(v).scalar; }
    bool is_integral(value_id v) const {
        const type& t = m_.type_of(v);
        return (t.kind == type_kind::scalar || t.kind == type_kind::vector) && !is_float(t.scalar);
    }

    template <class Body>
    void in_scope(Body body) {
        const std::size_t mark = narrowed_.size();
        body();
        while (narrowed_.size() > mark) {
            current_[narrowed_.back().first.number] = narrowed_.back().second;
            narrowed_.pop_back();
        }
    }

    void narrow(value_id v, range to) {
        range& r = current_[v.number];
        to.first = std::max(to.first, r.first);
        to.last = std::min(to.last, r.last);
        to.without_zero |= r.without_zero;
        if (to.without_zero && to.first == 0) to.first = 1;
        if (to.without_zero && to.last == 0) to.last = -1;
        if (to.first > to.last) return;  // nobody gets here
        narrowed_.emplace_back(v, r);
        r = to;
    }

    void walk(block_id b) {
        if (!b) return;
        in_scope([&] { walk_open(b); });
    }

    /// What the block assumes holds on behind it.
    void walk_open(block_id b) {
        for (const statement& s : m_[b].statements) visit(s);
    }

    bool always_leaves(block_id b) const { return b && std::ranges::any_of(m_[b].statements, is_jump); }

    void visit(const statement& s) {
        if (const auto* d = std::get_if<define>(&s)) {
            if (is_integral(d->value)) set(d->value, compute(d->value));
        } else if (const auto* a = std::get_if<assume>(&s)) {
            learn(a->condition, true);
        } else if (const auto* i = std::get_if<if_statement>(&s)) {
            in_scope([&] { learn(i->condition, true), walk(i->then_block); });
            in_scope([&] { learn(i->condition, false), walk(i->else_block); });
            if (always_leaves(i->then_block)) learn(i->condition, false);
            if (always_leaves(i->else_block)) learn(i->condition, true);
        } else if (const auto* l = std::get_if<for_statement>(&s)) {
            const range all = full_range(kind(l->induction));
            const range counted{of(l->first).first, std::max(of(l->first).first, of(l->last).last - 1)};
            set(l->induction, running_ ? counted : all);
            walk(l->body);
        } else if (const auto* w = std::get_if<while_statement>(&s)) {
            in_scope([&] {
                walk_open(w->head);
                learn(w->condition, true);
                walk(w->body);
            });
        } else if (const auto* c = std::get_if<switch_statement>(&s)) {
            for (const switch_case& one : m_.cases_of(*c))
                in_scope([&] {
                    const wide n = number(kind(c->selector), one.literal);
                    if (running_) narrow(c->selector, {n, n});
                    walk(one.body);
                });
            walk(c->default_block);
        }
    }

    void set(value_id v, const range& r) { current_[v.number] = table_.values[v.number] = r; }

    /// The condition holds, or fails, from here on.
    void learn(value_id condition, bool holds) {
        steps_left_ = 16;
        if (running_) learn_part(condition, holds);
    }

    void learn_part(value_id c, bool holds) {
        if (steps_left_ == 0) return;
        --steps_left_;
        const op code = m_[c].op;
        const auto operands = m_.operands_of(c);
        if (code == (holds ? op::bit_and : op::bit_or)) {
            learn_part(operands[0], holds);
            learn_part(operands[1], holds);
        } else if (code == op::bit_not) {
            learn_part(operands[0], !holds);
        } else if (info(code).result == result_rule::boolean && operands.size() == 2) {
            if (m_.type_of(c).kind == type_kind::scalar && is_integral(operands[0]))
                compare(code, holds, operands[0], operands[1]);
        }
    }

    void compare(op code, bool holds, value_id a, value_id b) {
        if (code == op::lt) return holds ? order(a, b, 1) : order(b, a, 0);
        if (code == op::gt) return holds ? order(b, a, 1) : order(a, b, 0);
        if (code == op::le) return holds ? order(a, b, 0) : order(b, a, 1);
        if (code == op::ge) return holds ? order(b, a, 0) : order(a, b, 1);
        if ((code == op::eq) == holds) {
            order(a, b, 0);
            order(b, a, 0);
        } else {
            exclude(a, b);
            exclude(b, a);
        }
    }

    /// a + gap <= b
    void order(value_id a, value_id b, int gap) {
        const range left = of(a), right = of(b);
        narrow(a, {left.first, right.last - gap});
        narrow(b, {left.first + gap, right.last});
    }

    /// a is not b.
    void exclude(value_id a, value_id b) {
        const range r = of(a), other = of(b);
        if (other.first != other.last) return;
        range left = r;
        if (left.first == other.first) ++left.first;
        if (left.last == other.first) --left.last;
        left.without_zero |= other.first == 0;
        narrow(a, left);
    }

    // ---- what operations yield ----

    range operand(value_id v, std::size_t i) const { return of(m_.operands_of(v)[i]); }

    void know(value_id v, fact f, bool holds) {
        if (holds) table_.facts[v.number] |= static_cast<std::uint8_t>(f);
    }

    range compute(value_id v) {
        const rule r = rules[static_cast<std::size_t>(m_[v].op)];
        return r ? (this->*r)(v) : full_range(kind(v));
    }

    /// The exact result, or all of the kind where it may wrap.
    range fit(value_id v, const range& exact) {
        const range all = full_range(kind(v));
        const bool fits = exact.is_within(all.first, all.last);
        know(v, fact::never_wraps, fits);
        return fits ? exact : all;
    }

    static wide number(scalar_kind k, std::uint64_t bits) {
        const std::uint32_t width = bit_width(k);
        const bool negative = is_signed_integer(k) && (bits >> (width - 1) & 1) != 0;
        return negative ? wide{bits} - power_of_two(width) : wide{bits};
    }

    range constant(value_id v) {
        const wide n = number(kind(v), m_[v].immediate);
        return {n, n};
    }

    range count_up_to(value_id v, wide first, wide last) const {
        return {first, std::min(last, std::min(full_range(kind(v)).last, largest_count))};
    }
    range buffer_size(value_id v) { return count_up_to(v, 0, largest_count); }
    /// A kernel with 64-bit ids has launches whose extents and positions 32 bits cut off.
    bool is_cut_off(value_id v) const { return wide_launch_ && kind(v) == scalar_kind::u32; }
    range extent(value_id v) { return is_cut_off(v) ? full_range(kind(v)) : count_up_to(v, 1, largest_count); }
    range position(value_id v) {
        const range all = full_range(kind(v));
        if (!running_ || is_cut_off(v)) return all;
        // the workgroups of the other forms may reach beyond the extents
        return count_up_to(v, 0, m_.launch == launch_kind::over ? all.last - 1 : all.last);
    }
    range local_position(value_id v) {
        const std::uint32_t size = m_.workgroup_size[m_[v].immediate];
        return size != 0 && running_ ? range{0, wide{size} - 1} : full_range(kind(v));
    }

    range add(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        return fit(v, {a.first + b.first, a.last + b.last});
    }
    range sub(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        return fit(v, {a.first - b.last, a.last - b.first});
    }
    range mul(value_id v) { return fit(v, multiply(operand(v, 0), operand(v, 1))); }
    range neg(value_id v) {
        const range a = operand(v, 0);
        return fit(v, {-a.last, -a.first, a.without_zero});
    }
    range abs(value_id v) {
        const range a = operand(v, 0);
        if (a.first >= 0) return fit(v, a);
        return fit(v, {a.last < 0 ? -a.last : 0, std::max(-a.first, a.last), a.without_zero});
    }

    void guard_division(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        know(v, fact::never_divides_by_zero, excludes_zero(b));
        const bool is_signed = is_signed_integer(kind(v));
        know(v, fact::never_overflows, !is_signed || !b.contains(-1) || !a.contains(full_range(kind(v)).first));
    }
    /// A divisor of 0 counts as 1.
    range div(value_id v) {
        guard_division(v);
        const range a = operand(v, 0), b = operand(v, 1), all = full_range(kind(v));
        const wide low = std::max<wide>(b.first, 1), high = std::max<wide>(b.last, 1);
        if (b.first >= 0) return hull({a.first / low, a.first / high, a.last / low, a.last / high});
        const wide most = std::max(magnitude(a.first), magnitude(a.last));
        return {std::max(-most, all.first), std::min(most, all.last)};
    }
    range rem(value_id v) {
        guard_division(v);
        const range a = operand(v, 0), b = operand(v, 1);
        const wide most = std::max<wide>(std::max(magnitude(b.first), magnitude(b.last)), 1) - 1;
        return {std::max(std::min<wide>(a.first, 0), -most), std::min(std::max<wide>(a.last, 0), most)};
    }

    range min(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        return {std::min(a.first, b.first), std::min(a.last, b.last), excludes_zero(a) && excludes_zero(b)};
    }
    range max(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        return {std::max(a.first, b.first), std::max(a.last, b.last), excludes_zero(a) && excludes_zero(b)};
    }

    range bit_and(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        if (a.first < 0 && b.first < 0) return full_range(kind(v));
        if (a.first < 0) return {0, b.last};
        return {0, b.first < 0 ? a.last : std::min(a.last, b.last)};
    }
    range bit_or(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        range r = full_range(kind(v));
        if (a.first >= 0 && b.first >= 0) r = {std::max(a.first, b.first), fill_bits(std::max(a.last, b.last))};
        r.without_zero = excludes_zero(a) || excludes_zero(b);
        return r;
    }
    range bit_xor(value_id v) {
        const range a = operand(v, 0), b = operand(v, 1);
        if (a.first < 0 || b.first < 0) return full_range(kind(v));
        return {0, fill_bits(std::max(a.last, b.last))};
    }
    range bit_not(value_id v) {
        const range a = operand(v, 0), all = full_range(kind(v));
        return {all.first + all.last - a.last, all.first + all.last - a.first};
    }

    /// The counts after masking.
    range shift_count(value_id v) {
        const range count = operand(v, 1);
        const wide most = wide{bit_width(kind(v))} - 1;
        const bool stays = count.is_within(0, most);
        know(v, fact::stays_in_width, stays);
        return stays ? count : range{0, most};
    }
    range shl(value_id v) {
        const range count = shift_count(v);
        return fit(v, multiply(operand(v, 0), {power_of_two(static_cast<std::uint32_t>(count.first)),
                                               power_of_two(static_cast<std::uint32_t>(count.last))}));
    }
    range shr(value_id v) {
        const range count = shift_count(v), a = operand(v, 0);
        const int low = static_cast<int>(count.first), high = static_cast<int>(count.last);
        return hull({a.first >> low, a.first >> high, a.last >> low, a.last >> high});
    }
    range bit_count(value_id v) { return {0, bit_width(kind(v))}; }

    range select(value_id v) { return join(operand(v, 1), operand(v, 2)); }
    range cast(value_id v) {
        return is_integral(m_.operands_of(v)[0]) ? fit(v, operand(v, 0)) : full_range(kind(v));
    }
    /// Of integers of the same width: numbers that both kinds have stay the same.
    range bit_cast(value_id v) {
        const value_id from = m_.operands_of(v)[0];
        const range all = full_range(kind(v));
        if (!is_integral(from) || bit_width(kind(from)) != bit_width(kind(v))) return all;
        return of(from).is_within(all.first, all.last) ? of(from) : all;
    }

    range construct(value_id v) {
        range all = operand(v, 0);
        for (const value_id o : m_.operands_of(v).subspan(1)) all = join(all, of(o));
        return all;
    }
    range extract(value_id v) {
        const value_id whole = m_.operands_of(v)[0];
        if (m_[whole].op == op::construct) return of(m_.operands_of(whole)[m_[v].immediate]);
        return m_.type_of(whole).kind == type_kind::vector ? of(whole) : full_range(kind(v));
    }
    range insert(value_id v) { return join(operand(v, 0), operand(v, 1)); }
    range any_component(value_id v) { return operand(v, 0); }

    const module& m_;
    const bool running_;
    range_table table_;
    std::vector<range> current_;                           ///< by value: as narrow as the conditions here make it
    std::vector<std::pair<value_id, range>> narrowed_;     ///< what it was before, to be put back
    std::uint32_t steps_left_ = 0;
    bool wide_launch_ = false;
};

/// An op without a row yields any number of its kind.
constinit const std::array<analysis::rule, op_count> analysis::rules = [] {
    std::array<rule, op_count> all{};
    for (const rule_row& row : {
             rule_row{op::constant, &analysis::constant},
             rule_row{op::buffer_size, &analysis::buffer_size},
             rule_row{op::extent, &analysis::extent},
             rule_row{op::workgroup_count, &analysis::extent},
             rule_row{op::global_id, &analysis::position},
             rule_row{op::workgroup_id, &analysis::position},
             rule_row{op::local_id, &analysis::local_position},
             rule_row{op::add, &analysis::add},
             rule_row{op::sub, &analysis::sub},
             rule_row{op::mul, &analysis::mul},
             rule_row{op::div, &analysis::div},
             rule_row{op::rem, &analysis::rem},
             rule_row{op::neg, &analysis::neg},
             rule_row{op::abs, &analysis::abs},
             rule_row{op::min, &analysis::min},
             rule_row{op::max, &analysis::max},
             rule_row{op::bit_and, &analysis::bit_and},
             rule_row{op::bit_or, &analysis::bit_or},
             rule_row{op::bit_xor, &analysis::bit_xor},
             rule_row{op::bit_not, &analysis::bit_not},
             rule_row{op::shl, &analysis::shl},
             rule_row{op::shr, &analysis::shr},
             rule_row{op::popcount, &analysis::bit_count},
             rule_row{op::clz, &analysis::bit_count},
             rule_row{op::ctz, &analysis::bit_count},
             rule_row{op::select, &analysis::select},
             rule_row{op::cast, &analysis::cast},
             rule_row{op::bit_cast, &analysis::bit_cast},
             rule_row{op::construct, &analysis::construct},
             rule_row{op::extract, &analysis::extract},
             rule_row{op::insert, &analysis::insert},
             rule_row{op::extract_dynamic, &analysis::any_component},
             rule_row{op::swizzle, &analysis::any_component},
         })
        all[static_cast<std::size_t>(row.code)] = row.compute;
    return all;
}();

}  // namespace

range full_range(scalar_kind k) {
    if (is_float(k) || k == scalar_kind::none) return {};
    const std::uint32_t width = bit_width(k);
    if (is_signed_integer(k)) return {-power_of_two(width - 1), power_of_two(width - 1) - 1};
    return {0, power_of_two(width) - 1};
}

range_table analyse_ranges(const module& m, holds_for who) { return analysis(m, who).run(); }

}  // namespace quern::ir
