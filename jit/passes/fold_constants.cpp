#include "jit/passes/fold_constants.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dsl/ir/evaluate.hpp"
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
    ir::value_id operand(ir::value_id v, std::size_t i) { return replacement_.of(m_.operands_of(v)[i]); }

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
        if (fold_structure(v) || m_.type_of(v).kind != ir::type_kind::scalar) return;
        if (!fold_exactly(v)) fold_identity(v);
    }

    void become_constant(ir::value_id v, std::uint64_t value_bits) {
        ir::value& record = m_[v];
        record.op = op::constant;
        record.operands = {};
        record.immediate = value_bits;
    }

    /// All operands are constant: the record itself becomes one.
    bool fold_exactly(ir::value_id v) {
        if (!ir::is_exact(m_[v].op)) return false;
        std::array<std::uint64_t, 3> operands{};
        const std::size_t count = m_[v].operands.count;
        if (count > operands.size()) return false;
        for (std::size_t i = 0; i < count; ++i) {
            if (!is_constant(operand(v, i))) return false;
            operands[i] = bits(operand(v, i));
        }
        const ir::scalar_kind kind = m_.type_of(operand(v, m_[v].op == op::select ? 1 : 0)).scalar;
        become_constant(v, ir::evaluate(m_[v].op, m_.type_of(v).scalar, kind, std::span(operands.data(), count)));
        return true;
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

}  // namespace quern::jit
