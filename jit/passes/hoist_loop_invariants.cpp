#include "jit/passes/hoist_loop_invariants.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "dsl/ir/evaluate.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::jit {
namespace {

/// What a block holds that stands in the way.
struct obstacles {
    bool jumps = false;  ///< what follows may not be reached
    bool waits = false;  ///< what is computed before a barrier and used behind it has to be kept in memory

    void add(const obstacles& inner) {
        jumps |= inner.jumps;
        waits |= inner.waits;
    }
};

class hoister {
public:
    explicit hoister(ir::module& m)
        : m_(m), unchanging_(ir::find_unchanging_buffers(m)), home_(m.values.size()) {}

    void run() { walk(m_.body); }

private:
    /// Innermost loops first, so that a value may leave several.
    obstacles walk(ir::block_id b) {
        obstacles all;
        if (!b) return all;
        ir::block old = std::exchange(m_[b], {}), made;
        old.locations.resize(old.statements.size());
        for (std::size_t i = 0; i < old.statements.size(); ++i) {
            ir::statement& s = old.statements[i];
            obstacles inside;
            if (const auto* d = std::get_if<ir::define>(&s)) {
                home_[d->value.number] = b;
                inside.waits = m_[d->value].op == ir::op::uniform_load;
            }
            if (const auto* l = std::get_if<ir::for_statement>(&s)) home_[l->induction.number] = l->body;
            ir::for_each_block(m_, s, [&](ir::block_id inner) { inside.add(walk(inner)); });
            inside.jumps |= ir::is_jump(s);
            inside.waits |= std::holds_alternative<ir::barrier>(s);
            if (!inside.waits) hoist(s, b, made);
            all.add(inside);
            made.statements.push_back(std::move(s));
            made.locations.push_back(old.locations[i]);
        }
        m_[b] = std::move(made);
        return all;
    }

    /// Appends to `to`, the part of block b before the loop s, what leaves the loop.
    void hoist(const ir::statement& s, ir::block_id b, ir::block& to) {
        if (const auto* l = std::get_if<ir::for_statement>(&s)) hoist_from(l->body, runs_once(*l), b, to);
        if (const auto* w = std::get_if<ir::while_statement>(&s)) {
            hoist_from(w->head, reached::always, b, to);
            hoist_from(w->body, reached::perhaps, b, to);
        }
    }

    enum class reached : std::uint8_t { perhaps, always };

    reached runs_once(const ir::for_statement& l) const {
        if (m_[l.first].op != ir::op::constant || m_[l.last].op != ir::op::constant) return reached::perhaps;
        const std::array bounds{m_[l.first].immediate, m_[l.last].immediate};
        const ir::scalar_kind kind = m_.type_of(l.induction).scalar;
        return ir::evaluate(ir::op::lt, ir::scalar_kind::boolean, kind, bounds) != 0 ? reached::always : reached::perhaps;
    }

    void hoist_from(ir::block_id body, reached r, ir::block_id b, ir::block& to) {
        ir::block& from = m_[body];
        std::size_t kept = 0;
        for (std::size_t i = 0; i < from.statements.size(); ++i) {
            const ir::statement s = from.statements[i];
            const auto* d = std::get_if<ir::define>(&s);
            if (!d && !std::holds_alternative<ir::store>(s) && !std::holds_alternative<ir::declare>(s))
                r = reached::perhaps;  // a jump in it may pass over the rest
            const bool leaves = d && is_invariant(d->value, body, r);
            if (leaves) home_[d->value.number] = b;
            ir::block& home = leaves ? to : from;
            if (leaves) {
                home.statements.push_back(s);
                home.locations.push_back(from.locations[i]);
            } else {
                home.statements[kept] = s;
                home.locations[kept++] = from.locations[i];
            }
        }
        from.statements.resize(kept);
        from.locations.resize(kept);
    }

    bool is_invariant(ir::value_id v, ir::block_id body, reached r) const {
        const ir::op code = m_[v].op;
        if (code == ir::op::load) {
            const ir::place& from = m_[m_.place_of(v)];
            const bool fixed = from.root == ir::root_kind::parameter && unchanging_[from.number];
            if (!fixed || r == reached::perhaps) return false;
        } else if (ir::info(code).effect != ir::effect::pure) {
            return false;
        }
        bool inside = false;
        ir::for_each_operand(m_, v, [&](ir::value_id o) { inside |= home_[o.number] == body; });
        return !inside;
    }

    ir::module& m_;
    std::vector<bool> unchanging_;
    std::vector<ir::block_id> home_;  ///< by value
};

}  // namespace

void hoist_loop_invariants(ir::module& m) { hoister(m).run(); }

}  // namespace quern::jit
