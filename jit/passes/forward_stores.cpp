#include "jit/passes/forward_stores.hpp"

#include <algorithm>
#include <utility>

#include "jit/passes/value_replacement.hpp"

namespace quern::jit {
namespace {

/// Statements are numbered in program order from 1 on.
using time = std::uint32_t;

/// The last store of a variable in program order, or a load that found no store.
struct knowledge {
    ir::value_id value;  ///< none: stored in part
    ir::block_id block;
    time at = 0;
};

/// The last store of all of a variable, as long as nothing that could see it has followed.
struct unread_store {
    ir::block_id block;
    std::size_t statement = 0;
    std::uint32_t jumps = 0;  ///< jumps before it: another one might leave to where it is read
};

struct loop {
    time begin = 0, end = 0;
};

/// What was known at a time holds later if the block is still open, which then ran without interruption, and no loop
/// that began since stores to the variable: only an earlier iteration could come between.
class forwarder {
public:
    explicit forwarder(ir::module& m)
        : m_(m), replacement_(m), known_(m.variables.size()), unread_(m.variables.size()), stores_(m.variables.size()),
          open_(m.blocks.size()), ends_(m.blocks.size()) {}

    void run() {
        find_stores(m_.body);
        now_ = 0;
        walk(m_.body);
        replacement_.apply(m_);
    }

private:
    /// When each variable is stored to, and when each block ends.
    void find_stores(ir::block_id b) {
        if (!b) return;
        for (const ir::statement& s : m_[b].statements) {
            ++now_;
            if (const auto* t = std::get_if<ir::store>(&s))
                if (const ir::variable_id local = ir::local_root(m_, t->place)) stores_[local.number].push_back(now_);
            ir::for_each_block(m_, s, [&](ir::block_id inner) { find_stores(inner); });
        }
        ends_[b.number] = now_;
    }

    void walk(ir::block_id b) {
        if (!b) return;
        open_[b.number] = true;
        std::vector<std::size_t> dropped;
        for (std::size_t i = 0; i < m_[b].statements.size(); ++i) {
            ++now_;
            const ir::statement& s = m_[b].statements[i];
            if (const auto* d = std::get_if<ir::define>(&s)) {
                if (m_[d->value].op == ir::op::load) load(d->value, b);
            } else if (const auto* t = std::get_if<ir::store>(&s)) {
                store(*t, b, i, dropped);
            } else if (ir::is_jump(s)) {
                ++jumps_;
            } else {
                walk_inner(s);
            }
        }
        open_[b.number] = false;
        drop(m_[b], dropped);
    }

    void walk_inner(const ir::statement& s) {
        const auto* f = std::get_if<ir::for_statement>(&s);
        const auto* w = std::get_if<ir::while_statement>(&s);
        if (f || w) loops_.push_back({now_, ends_[(f ? f->body : w->body).number]});
        ir::for_each_block(m_, s, [&](ir::block_id inner) { walk(inner); });
        if (f || w) loops_.pop_back();
    }

    void load(ir::value_id v, ir::block_id b) {
        const ir::variable_id from = ir::local_root(m_, m_.place_of(v));
        if (!from) return;
        if (m_[m_.place_of(v)].steps.count != 0) {
            unread_[from.number] = {};
        } else if (knowledge& k = known_[from.number]; holds(from, k)) {
            replacement_.replace(v, k.value);
        } else {
            unread_[from.number] = {};
            k = {v, b, now_};
        }
    }

    bool holds(ir::variable_id v, const knowledge& k) const {
        if (!k.value || !open_[k.block.number]) return false;
        // the outermost of the loops that began since: the others lie within
        const auto since = std::ranges::upper_bound(loops_, k.at, {}, &loop::begin);
        if (since == loops_.end()) return true;
        const auto next = std::ranges::lower_bound(stores_[v.number], since->begin);
        return next == stores_[v.number].end() || *next > since->end;
    }

    void store(const ir::store& t, ir::block_id b, std::size_t i, std::vector<std::size_t>& dropped) {
        const ir::variable_id to = ir::local_root(m_, t.place);
        if (!to) return;
        const bool whole = m_[t.place].steps.count == 0;
        known_[to.number] = {whole ? replacement_.of(t.value) : ir::value_id{}, b, now_};
        if (!whole) return;
        unread_store& last = unread_[to.number];
        if (last.block == b && last.jumps == jumps_) dropped.push_back(last.statement);
        last = {b, i, jumps_};
    }

    static void drop(ir::block& b, std::vector<std::size_t>& dropped) {
        if (dropped.empty()) return;
        std::ranges::sort(dropped);
        b.locations.resize(b.statements.size());
        std::size_t kept = 0, next = 0;
        for (std::size_t i = 0; i < b.statements.size(); ++i) {
            if (next < dropped.size() && dropped[next] == i) {
                ++next;
                continue;
            }
            b.statements[kept] = std::move(b.statements[i]);
            b.locations[kept++] = b.locations[i];
        }
        b.statements.resize(kept);
        b.locations.resize(kept);
    }

    ir::module& m_;
    value_replacement replacement_;
    std::vector<knowledge> known_;           ///< by variable
    std::vector<unread_store> unread_;       ///< by variable
    std::vector<std::vector<time>> stores_;  ///< by variable
    std::vector<bool> open_;                 ///< by block: the walk is in it
    std::vector<time> ends_;                 ///< by block
    std::vector<loop> loops_;                ///< around the statement at hand
    time now_ = 0;
    std::uint32_t jumps_ = 0;
};

}  // namespace

void forward_stores(ir::module& m) { forwarder(m).run(); }

}  // namespace quern::jit
