#include "jit/passes/merge_common_values.hpp"

#include <algorithm>
#include <unordered_set>

#include "jit/passes/value_replacement.hpp"

namespace quern::jit {
namespace {

class merger {
public:
    explicit merger(ir::module& m)
        : m_(m), replacement_(m), unchanging_(ir::find_unchanging_buffers(m)), visible_(16, hash{this}, equal{this}) {}

    void run() {
        walk(m_.body);
        replacement_.apply(m_);
    }

private:
    struct hash {
        merger* self;
        std::size_t operator()(ir::value_id v) const { return self->hash_of(v); }
    };
    struct equal {
        merger* self;
        bool operator()(ir::value_id a, ir::value_id b) const { return self->are_equal(a, b); }
    };

    void walk(ir::block_id b) {
        std::vector<ir::value_id> added;
        for (const ir::statement& s : m_[b].statements) {
            if (const auto* d = std::get_if<ir::define>(&s)) {
                if (!is_mergeable(d->value)) continue;
                const auto [first, fresh] = visible_.insert(d->value);
                if (fresh)
                    added.push_back(d->value);
                else
                    replacement_.replace(d->value, *first);
            }
            ir::for_each_block(m_, s, [&](ir::block_id inner) { walk(inner); });
        }
        for (const ir::value_id v : added) visible_.erase(v);
    }

    bool is_mergeable(ir::value_id v) const {
        const ir::value& record = m_[v];
        if (record.op != ir::op::load) return ir::info(record.op).effect == ir::effect::pure;
        const ir::place& from = m_[m_.place_of(v)];
        return from.root == ir::root_kind::parameter && unchanging_[from.number];
    }

    /// Operands are compared by what stands for them, which is settled: they are defined before their uses.
    std::size_t hash_of(ir::value_id v) {
        const ir::value& record = m_[v];
        std::uint64_t h = static_cast<std::uint64_t>(record.op) << 32 | record.type.number;
        const auto mix = [&](std::uint64_t n) { h = (h ^ n) * 0x9e37'79b9'7f4a'7c15u, h ^= h >> 29; };
        if (record.op == ir::op::load) {
            const ir::place& from = m_[m_.place_of(v)];
            mix(from.number);
            for (const ir::step& s : m_.steps_of(m_.place_of(v)))
                mix(s.kind == ir::step::kind::index ? replacement_.of(s.index).number : ~s.member);
        } else {
            mix(record.immediate);
        }
        for (const ir::value_id o : m_.operands_of(v)) mix(replacement_.of(o).number);
        return static_cast<std::size_t>(h);
    }

    bool are_equal(ir::value_id a, ir::value_id b) {
        const ir::value& x = m_[a];
        const ir::value& y = m_[b];
        if (x.op != y.op || x.type != y.type) return false;
        if (x.op == ir::op::load) return are_equal_places(m_.place_of(a), m_.place_of(b));
        const auto same = [&](ir::value_id p, ir::value_id q) { return replacement_.of(p) == replacement_.of(q); };
        return x.immediate == y.immediate && std::ranges::equal(m_.operands_of(a), m_.operands_of(b), same);
    }

    bool are_equal_places(ir::place_id a, ir::place_id b) {
        return m_[a].root == m_[b].root && m_[a].number == m_[b].number &&
               std::ranges::equal(m_.steps_of(a), m_.steps_of(b), [&](const ir::step& s, const ir::step& t) {
                   if (s.kind != t.kind) return false;
                   return s.kind == ir::step::kind::member ? s.member == t.member
                                                           : replacement_.of(s.index) == replacement_.of(t.index);
               });
    }

    ir::module& m_;
    value_replacement replacement_;
    std::vector<bool> unchanging_;
    std::unordered_set<ir::value_id, hash, equal> visible_;  ///< values that dominate the statement at hand
};

}  // namespace

void merge_common_values(ir::module& m) { merger(m).run(); }

}  // namespace quern::jit
