#include "jit/passes/unroll_constant_loops.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsl/ir/traversal.hpp"
#include "jit/passes/block_cloner.hpp"

namespace quern::jit {
namespace {

// In operations on scalars. A longer line costs more to compile and to fetch than its loop costs to run (a network that
// sorts 8 numbers in 49 steps: 72 → 68 M/s, three times the compile time), unless it lets a private array live in
// registers.
constexpr std::uint64_t longest_line = 256;
constexpr std::uint64_t longest_line_for_array = 1024;
/// What unrolling may add to a module, which keeps the passes linear.
constexpr std::uint64_t largest_growth = 8192;

/// What decides about the loop around a block.
struct contents {
    std::uint64_t weight = 0;
    bool leaves_loop = false;  ///< a break or continue of that loop
    bool waits = false;        ///< a barrier: its place in the kernel is a border that is better met once
    bool loops = false;            ///< a loop that stays, whose body matters more than what is around it
    bool indexes_private = false;  ///< a local array at an index that is not known yet

    void add(const contents& inner) {
        weight += inner.weight;
        leaves_loop |= inner.leaves_loop;
        waits |= inner.waits;
        loops |= inner.loops;
        indexes_private |= inner.indexes_private;
    }
};

class unroller {
public:
    explicit unroller(ir::module& m) : m_(m), cloner_(m) {}

    void run() { walk(m_.body); }

private:
    contents walk(ir::block_id b) {
        contents all;
        if (!b) return all;
        ir::block old = std::exchange(m_[b], {}), made;
        old.locations.resize(old.statements.size());
        for (std::size_t i = 0; i < old.statements.size(); ++i) {
            all.add(weigh(old.statements[i]));
            if (const auto* l = std::get_if<ir::for_statement>(&old.statements[i])) {
                all.add(visit_loop(*l, old.locations[i], made));
                continue;
            }
            std::vector<ir::block_id> blocks;  // all at once: the arena of cases grows below
            ir::for_each_block(m_, old.statements[i], [&](ir::block_id inner) { blocks.push_back(inner); });
            for (const ir::block_id inner : blocks) {
                contents inside = walk(inner);
                if (std::holds_alternative<ir::while_statement>(old.statements[i])) inside.leaves_loop = false;
                all.add(inside);
            }
            made.statements.push_back(std::move(old.statements[i]));
            made.locations.push_back(old.locations[i]);
        }
        m_[b] = std::move(made);
        return all;
    }

    /// Appends the loop or its iterations.
    contents visit_loop(const ir::for_statement& l, ir::location_id at, ir::block& to) {
        contents all = walk(l.body);
        const std::uint64_t trips = count_trips(l).value_or(0), iteration = all.weight + 1;
        if (trips != 0 && may_unroll(l, trips, all)) {
            left_ -= (trips - 1) * iteration;
            all.weight = trips * iteration;
            unroll(l, trips, at, to);
        } else {
            all.loops = true;
            to.statements.push_back(l);
            to.locations.push_back(at);
        }
        all.leaves_loop = false;
        return all;
    }

    contents weigh(const ir::statement& s) const {
        contents all;
        all.weight = 1;
        if (const auto* d = std::get_if<ir::define>(&s)) {
            const ir::value& v = m_[d->value];
            all.weight = ir::is_leaf(v.op) ? 0 : std::max(1u, m_[v.type].count);
            if (ir::accesses_memory(v.op)) all.indexes_private = indexes_private(m_.place_of(d->value));
            all.waits = v.op == ir::op::uniform_load;
        } else if (const auto* t = std::get_if<ir::store>(&s)) {
            all.weight = std::max(1u, m_[m_[t->place].type].count);
            all.indexes_private = indexes_private(t->place);
        } else {
            all.leaves_loop =
                std::holds_alternative<ir::break_statement>(s) || std::holds_alternative<ir::continue_statement>(s);
            all.waits = std::holds_alternative<ir::barrier>(s);
            all.loops = std::holds_alternative<ir::while_statement>(s);
        }
        return all;
    }

    bool indexes_private(ir::place_id p) const {
        bool known = true;
        if (ir::local_root(m_, p))
            ir::for_each_index(m_, p, [&](ir::value_id i) { known &= m_[i].op == ir::op::constant; });
        return !known;
    }

    /// Nothing where the trips are open, or where there are none: folding removes that loop.
    std::optional<std::uint64_t> count_trips(const ir::for_statement& l) const {
        for (const ir::value_id v : {l.first, l.last, l.step})
            if (m_[v].op != ir::op::constant) return {};
        const ir::scalar_kind kind = m_.type_of(l.induction).scalar;
        const std::uint64_t sign = ir::is_signed_integer(kind) ? std::uint64_t{1} << (ir::bit_width(kind) - 1) : 0;
        // with the sign flipped, signed numbers are ordered as unsigned ones
        const std::uint64_t first = m_[l.first].immediate ^ sign, last = m_[l.last].immediate ^ sign;
        const std::uint64_t step = m_[l.step].immediate;
        if (first >= last || step == 0 || (step & sign) != 0) return {};
        return (last - first - 1) / step + 1;
    }

    bool may_unroll(const ir::for_statement& l, std::uint64_t trips, const contents& all) const {
        if (all.leaves_loop || std::ranges::any_of(m_[l.body].statements, ir::is_jump)) return false;
        if (trips == 1) return true;
        const std::uint64_t longest = all.indexes_private ? longest_line_for_array : longest_line;
        if (all.waits || (all.loops && !all.indexes_private)) return false;
        return trips <= std::min(longest, left_) / (all.weight + 1);
    }

    void unroll(const ir::for_statement& l, std::uint64_t trips, ir::location_id at, ir::block& to) {
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - ir::bit_width(m_.type_of(l.induction).scalar));
        for (std::uint64_t n = 0; n < trips; ++n) {
            const std::uint64_t bits = (m_[l.first].immediate + n * m_[l.step].immediate) & mask;
            const ir::value_id number{static_cast<std::uint32_t>(m_.values.size())};
            m_.values.push_back({ir::op::constant, m_[l.induction].type, {}, bits});
            to.statements.push_back(ir::define{number});
            to.locations.push_back(at);
            cloner_.substitute(l.induction, number);
            cloner_.append_copy(l.body, to);
        }
        clear(l.body);
    }

    /// What was copied is gone, so that nobody takes its stores for stores of the kernel.
    void clear(ir::block_id b) {
        if (!b) return;
        const ir::block old = std::exchange(m_[b], {});
        for (const ir::statement& s : old.statements) ir::for_each_block(m_, s, [&](ir::block_id inner) { clear(inner); });
    }

    ir::module& m_;
    block_cloner cloner_;
    std::uint64_t left_ = largest_growth;
};

}  // namespace

void unroll_constant_loops(ir::module& m) { unroller(m).run(); }

}  // namespace quern::jit
