#include "dsl/ir/liveness.hpp"

#include "dsl/ir/traversal.hpp"

namespace quern::ir {
namespace {

struct position {
    block_id block;
    std::uint32_t statement = 0;
};

class marker {
public:
    explicit marker(const module& m)
        : m_(m), owners_(m.blocks.size()), definitions_(m.values.size()), stores_(m.variables.size()) {
        live_.statements.resize(m.blocks.size());
        live_.values.resize(m.values.size(), false);
        live_.variables.resize(m.variables.size(), false);
    }

    liveness run() {
        collect(m_.body);
        while (!pending_.empty()) {
            const position at = pending_.back();
            pending_.pop_back();
            mark(at);
        }
        return std::move(live_);
    }

private:
    /// Notes where everything stands; what follows a jump in its block is never reached and stays unknown.
    void collect(block_id b) {
        const block& whole = m_[b];
        live_.statements[b.number].resize(whole.statements.size(), false);
        for (std::uint32_t i = 0; i < whole.statements.size(); ++i) {
            const statement& s = whole.statements[i];
            if (const auto* d = std::get_if<define>(&s)) definitions_[d->value.number] = {b, i};
            if (const auto* t = std::get_if<store>(&s))
                if (const variable_id local = local_root(m_, t->place)) stores_[local.number].push_back({b, i});
            if (is_root(s)) pending_.push_back({b, i});
            for_each_block(m_, s, [&](block_id inner) {
                owners_[inner.number] = {b, i};
                collect(inner);
            });
            if (is_jump(s)) break;
        }
    }

    bool is_root(const statement& s) const {
        return std::visit(overloaded{
                              [&](const define& d) { return !is_movable(m_[d.value].op); },
                              [&](const store& t) { return local_root(m_, t.place).is_none(); },
                              [](const declare&) { return false; },
                              [](const if_statement&) { return false; },
                              [](const for_statement&) { return false; },
                              [](const switch_statement&) { return false; },
                              [](const while_statement&) { return true; },
                              [](const break_statement&) { return true; },
                              [](const continue_statement&) { return true; },
                              [](const return_statement&) { return true; },
                              [](const barrier&) { return true; },
                              [](const fence&) { return true; },
                              [](const assume&) { return true; },
                          },
                          s);
    }

    /// A live statement needs what it reads and the statements around it.
    void mark(position at) {
        while (!at.block.is_none() && !live_.at(at.block, at.statement)) {
            live_.statements[at.block.number][at.statement] = true;
            const statement& s = m_[at.block].statements[at.statement];
            for_each_use(m_, s, [&](value_id v) { mark(v); });
            if (const auto* d = std::get_if<define>(&s)) {
                live_.values[d->value.number] = true;
                if (accesses_memory(m_[d->value].op)) read(local_root(m_, m_.place_of(d->value)));
            }
            at = owners_[at.block.number];
        }
    }

    void mark(value_id v) {
        if (live_.values[v.number]) return;
        live_.values[v.number] = true;
        pending_.push_back(definitions_[v.number]);
    }

    void read(variable_id local) {
        if (local.is_none() || live_.variables[local.number]) return;
        live_.variables[local.number] = true;
        pending_.insert(pending_.end(), stores_[local.number].begin(), stores_[local.number].end());
    }

    const module& m_;
    liveness live_;
    std::vector<position> owners_;       // by block
    std::vector<position> definitions_;  // by value; none for inductions
    std::vector<std::vector<position>> stores_;
    std::vector<position> pending_;  // found live, not yet followed
};

}  // namespace

liveness find_live(const module& m) { return marker(m).run(); }

}  // namespace quern::ir
