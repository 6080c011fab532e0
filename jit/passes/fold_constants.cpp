#include "jit/passes/fold_constants.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "dsl/ir/evaluate.hpp"
#include "dsl/ir/validation.hpp"
#include "jit/passes/value_replacement.hpp"

namespace quern::jit {
namespace {

using ir::op;

enum class known : std::uint8_t { zero, one, all_ones };
enum class side : std::uint8_t { right, either };
enum class yields : std::uint8_t { other, constant };

/// An operation on integers or bools with one known operand: it yields the other operand, or that constant.
struct identity {
    op code;
    known operand;
    side where;
    yields result;
};
constexpr std::array identities{
    identity{op::add, known::zero, side::either, yields::other},
    identity{op::sub, known::zero, side::right, yields::other},
    identity{op::mul, known::one, side::either, yields::other},
    identity{op::mul, known::zero, side::either, yields::constant},
    identity{op::div, known::one, side::right, yields::other},
    identity{op::bit_and, known::all_ones, side::either, yields::other},
    identity{op::bit_and, known::zero, side::either, yields::constant},
    identity{op::bit_or, known::zero, side::either, yields::other},
    identity{op::bit_or, known::all_ones, side::either, yields::constant},
    identity{op::bit_xor, known::zero, side::either, yields::other},
    identity{op::shl, known::zero, side::right, yields::other},
    identity{op::shr, known::zero, side::right, yields::other},
};

class folder {
public:
    explicit folder(ir::module& m) : m_(m), replacement_(m) {}

    void run() {
        walk(m_.body);
        replacement_.apply(m_);
    }

private:
    bool is_constant(ir::value_id v) { return m_[v].op == op::constant; }
    std::uint64_t bits(ir::value_id v) { return m_[v].immediate; }
    ir::value_id operand(ir::value_id v, std::size_t i) { return m_.operands_of(v)[i]; }

    /// Rebuilds the block's statements: a branch that is certain leaves its own in place of itself.
    void walk(ir::block_id b) {
        std::vector<ir::statement> old = std::exchange(m_[b].statements, {});
        std::vector<ir::location_id> old_locations = std::exchange(m_[b].locations, {});
        old_locations.resize(old.size());
        std::vector<ir::statement> statements;
        std::vector<ir::location_id> locations;
        statements.reserve(old.size());
        locations.reserve(old.size());
        for (std::size_t i = 0; i < old.size(); ++i) {
            ir::statement& s = old[i];
            if (const auto* d = std::get_if<ir::define>(&s)) fold(d->value);
            if (const auto* l = std::get_if<ir::for_statement>(&s))
                ir::check_step(m_, *l, replacement_.of(l->step), old_locations[i]);
            const std::optional<ir::block_id> certain = certain_block(s);
            ir::for_each_block(m_, s, [&](ir::block_id inner) {
                if (!certain || *certain == inner) walk(inner);
            });
            if (!certain) {
                statements.push_back(std::move(s));
                locations.push_back(old_locations[i]);
            } else if (*certain) {
                ir::block& inner = m_[*certain];
                std::move(inner.statements.begin(), inner.statements.end(), std::back_inserter(statements));
                locations.insert(locations.end(), inner.locations.begin(), inner.locations.end());
                inner = {};
            }
        }
        m_[b].statements = std::move(statements);
        m_[b].locations = std::move(locations);
    }

    /// The block that the statement certainly runs once, a none block if it runs none, nothing if that is open.
    std::optional<ir::block_id> certain_block(const ir::statement& s) {
        if (const auto* i = std::get_if<ir::if_statement>(&s)) {
            const ir::value_id c = replacement_.of(i->condition);
            if (is_constant(c)) return bits(c) != 0 ? i->then_block : i->else_block;
        } else if (const auto* w = std::get_if<ir::switch_statement>(&s)) {
            const ir::value_id v = replacement_.of(w->selector);
            if (!is_constant(v)) return {};
            for (const ir::switch_case& one : m_.cases_of(*w))
                if (one.literal == bits(v)) return one.body;
            return w->default_block;
        } else if (const auto* l = std::get_if<ir::for_statement>(&s)) {
            const ir::value_id first = replacement_.of(l->first), last = replacement_.of(l->last);
            if (!is_constant(first) || !is_constant(last)) return {};
            const std::array bounds{bits(first), bits(last)};
            if (ir::evaluate(op::lt, ir::scalar_kind::boolean, m_.type_of(first).scalar, bounds) == 0)
                return ir::block_id{};
        }
        return {};
    }

    void fold(ir::value_id v) {
        if (ir::info(m_[v].op).effect != ir::effect::pure || m_[v].operands.count == 0) return;
        const ir::slice operands = m_[v].operands;
        for (std::uint32_t i = 0; i < operands.count; ++i)
            m_.operands[operands.first + i] = replacement_.of(m_.operands[operands.first + i]);
        if (fold_structure(v) || m_.type_of(v).kind != ir::type_kind::scalar) return;
        if (!fold_exactly(m_, v)) fold_identity(v);
    }

    void fold_identity(ir::value_id v) {
        const ir::scalar_kind kind = m_.type_of(v).scalar;
        if (m_[v].operands.count != 2 || ir::is_float(kind)) return;
        for (const identity& rule : identities) {
            if (rule.code != m_[v].op) continue;
            for (const std::size_t i : {1u, 0u}) {
                if (i == 0 && rule.where == side::right) continue;
                const ir::value_id c = operand(v, i);
                if (!is_constant(c) || bits(c) != known_bits(rule.operand, kind)) continue;
                return replacement_.replace(v, rule.result == yields::other ? operand(v, 1 - i) : c);
            }
        }
    }

    static std::uint64_t known_bits(known k, ir::scalar_kind kind) {
        switch (k) {
            case known::zero: return 0;
            case known::one: return 1;
            case known::all_ones: return ~std::uint64_t{0} >> (64 - ir::bit_width(kind));
        }
        return 0;
    }

    /// Of any type: select that is certain, and the part of something that was put together here.
    bool fold_structure(ir::value_id v) {
        if (m_[v].op == op::select) {
            const ir::value_id c = operand(v, 0), a = operand(v, 1), b = operand(v, 2);
            if (a != b && !is_constant(c)) return false;
            replacement_.replace(v, a == b || bits(c) != 0 ? a : b);
            return true;
        }
        if (m_[v].op != op::extract || m_[operand(v, 0)].op != op::construct) return false;
        replacement_.replace(v, operand(operand(v, 0), m_[v].immediate));
        return true;
    }

    ir::module& m_;
    value_replacement replacement_;
};

}  // namespace

void fold_constants(ir::module& m) { folder(m).run(); }

bool fold_exactly(ir::module& m, ir::value_id v) {
    const auto operands = m.operands_of(v);
    std::array<std::uint64_t, 3> bits{};
    if (operands.empty() || operands.size() > bits.size() || m.type_of(v).kind != ir::type_kind::scalar) return false;
    if (ir::info(m[v].op).effect != ir::effect::pure || !ir::is_exact(m[v].op)) return false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (m[operands[i]].op != op::constant) return false;
        bits[i] = m[operands[i]].immediate;
    }
    const ir::scalar_kind kind = m.type_of(operands[m[v].op == op::select ? 1 : 0]).scalar;
    const std::uint64_t result =
        ir::evaluate(m[v].op, m.type_of(v).scalar, kind, std::span(bits.data(), operands.size()));
    ir::value& record = m[v];
    record.op = op::constant;
    record.operands = {};
    record.immediate = result;
    return true;
}

}  // namespace quern::jit
