#include "dsl/ir/affine.hpp"

#include <algorithm>

#include "dsl/ir/traversal.hpp"
#include "dsl/ir/uniformity.hpp"

namespace quern::ir {
namespace {

using stride = std::optional<std::int64_t>;

/// Strides are kept sign-extended from the value's width.
std::int64_t wrap(std::uint64_t bits, std::uint32_t width) {
    const std::uint32_t spare = 64 - width;
    return static_cast<std::int64_t>(bits << spare) >> spare;
}

class analysis {
public:
    explicit analysis(const module& m)
        : m_(m), unchanging_(find_unchanging_buffers(m)), uniformity_(analyse_uniformity(m)) {
        strides_.resize(m.values.size());
    }

    affine_table run() {
        walk(m_.body);
        return {std::move(strides_)};
    }

private:
    const stride& of(value_id v) const { return strides_[v.number]; }

    void walk(block_id b) {
        for (const statement& s : m_[b].statements) {
            if (const auto* d = std::get_if<define>(&s)) strides_[d->value.number] = compute(d->value);
            // All invocations that run an iteration together have made equally many steps.
            if (const auto* l = std::get_if<for_statement>(&s))
                if (of(l->step) == 0) strides_[l->induction.number] = of(l->first);
            for_each_block(m_, s, [&](block_id inner) { walk(inner); });
        }
    }

    stride compute(value_id v) const {
        const value& record = m_[v];
        if (uniformity_.of(v) <= uniformity::subgroup) return 0;
        if (is_leaf(record.op)) return compute_leaf(record);
        if (record.op != op::load && info(record.op).effect != effect::pure) return {};

        bool independent = true;
        for_each_operand(m_, v, [&](value_id o) { independent &= of(o) == 0; });
        if (record.op == op::load) {
            const place& from = m_[m_.place_of(v)];
            if (independent && from.root == root_kind::parameter && unchanging_[from.number]) return 0;
            return {};
        }
        return independent ? 0 : compute_linear(v);
    }

    static stride compute_leaf(const value& v) {
        if (v.op == op::global_id || v.op == op::local_id) return v.immediate == 0 ? 1 : 0;
        return v.op == op::subgroup_lane ? stride{} : 0;
    }

    stride compute_linear(value_id v) const {
        const type& t = m_.type_of(v);
        const auto operands = m_.operands_of(v);
        if (m_[v].op == op::extract) return compute_extract(v);
        if (t.kind != type_kind::scalar || !is_integer(t.scalar)) return {};

        const std::uint32_t width = bit_width(t.scalar);
        const auto bits = [&](std::size_t i) { return static_cast<std::uint64_t>(*of(operands[i])); };
        const auto known = [&](std::size_t i) { return of(operands[i]).has_value(); };
        const auto constant = [&](std::size_t i) { return m_[operands[i]].op == op::constant; };
        const auto literal = [&](std::size_t i) { return m_[operands[i]].immediate; };
        const auto is = [code = m_[v].op](op wanted) { return code == wanted; };

        if (is(op::add) && known(0) && known(1)) return wrap(bits(0) + bits(1), width);
        if (is(op::sub) && known(0) && known(1)) return wrap(bits(0) - bits(1), width);
        if ((is(op::neg) || is(op::bit_not)) && known(0)) return wrap(0 - bits(0), width);
        if (is(op::mul) && known(0) && constant(1)) return wrap(bits(0) * literal(1), width);
        if (is(op::mul) && known(1) && constant(0)) return wrap(bits(1) * literal(0), width);
        if (is(op::shl) && known(0) && constant(1)) return wrap(bits(0) << (literal(1) & (width - 1)), width);
        if (is(op::select) && of(operands[0]) == 0 && known(1) && of(operands[1]) == of(operands[2]))
            return of(operands[1]);
        if (is(op::cast) && known(0)) return compute_cast(operands[0], width);
        if (is(op::bit_cast) && known(0) && is_scalar_integer(operands[0])) return of(operands[0]);
        return {};
    }

    bool is_scalar_integer(value_id v) const {
        return m_.type_of(v).kind == type_kind::scalar && is_integer(m_.type_of(v).scalar);
    }

    /// Narrowing keeps linearity, since wrapping is a ring homomorphism. Widening keeps it only where the operand
    /// cannot wrap between two neighbours: positions do not, `i - 1u` does at 0, and a masked-off lane may be there.
    stride compute_cast(value_id from, std::uint32_t width) const {
        if (!is_scalar_integer(from)) return {};
        if (width <= bit_width(m_.type_of(from).scalar)) return wrap(static_cast<std::uint64_t>(*of(from)), width);
        const bool position = m_[from].op == op::global_id || m_[from].op == op::local_id;
        return position && is_unsigned_integer(m_.type_of(from).scalar) ? of(from) : stride{};
    }

    /// Of a vector that was put together here: the component's own stride.
    stride compute_extract(value_id v) const {
        const value_id whole = m_.operands_of(v)[0];
        return m_[whole].op == op::construct ? of(m_.operands_of(whole)[m_[v].immediate]) : stride{};
    }

    const module& m_;
    std::vector<bool> unchanging_;
    uniformity_table uniformity_;
    std::vector<stride> strides_;
};

}  // namespace

affine_table analyse_affine(const module& m) { return analysis(m).run(); }

}  // namespace quern::ir
