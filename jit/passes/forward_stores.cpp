#include "jit/passes/forward_stores.hpp"

#include "jit/passes/value_replacement.hpp"

namespace quern::jit {
namespace {

struct usage {
    ir::value_id stored;  ///< by the one store that follows the declaration
    std::uint32_t stores = 0;
    bool whole = true;  ///< never reached in part
};

/// The local variable if the place is all of it.
ir::variable_id whole_local(const ir::module& m, ir::place_id p) {
    return m[p].steps.count == 0 ? ir::local_root(m, p) : ir::variable_id{};
}

class forwarder {
public:
    explicit forwarder(ir::module& m) : m_(m), usage_(m.variables.size()), replacement_(m) {}

    void run() {
        for (const ir::block& b : m_.blocks) count(b);
        for (std::uint32_t i = 0; i < m_.values.size(); ++i) {
            if (m_.values[i].op != ir::op::load) continue;
            const ir::variable_id read = whole_local(m_, m_.place_of({i}));
            if (read && is_constant(read)) replacement_.replace({i}, usage_[read.number].stored);
        }
        replacement_.apply(m_);
    }

private:
    bool is_constant(ir::variable_id v) const {
        const usage& u = usage_[v.number];
        return u.stored && u.stores == 1 && u.whole;
    }

    void count(const ir::block& b) {
        ir::variable_id fresh;  // declared, and since then only values were defined that do not read it
        for (const ir::statement& s : b.statements) {
            if (const auto* d = std::get_if<ir::define>(&s)) {
                if (!ir::accesses_memory(m_[d->value].op)) continue;
                note(m_.place_of(d->value));
                if (ir::local_root(m_, m_.place_of(d->value)) == fresh) fresh = {};
                continue;
            }
            if (const auto* t = std::get_if<ir::store>(&s)) {
                note(t->place);
                if (const ir::variable_id local = ir::local_root(m_, t->place)) {
                    ++usage_[local.number].stores;
                    if (local == fresh) usage_[local.number].stored = t->value;
                }
            }
            const auto* d = std::get_if<ir::declare>(&s);
            fresh = d ? d->variable : ir::variable_id{};
        }
    }

    void note(ir::place_id p) {
        const ir::variable_id local = ir::local_root(m_, p);
        if (local && m_[p].steps.count != 0) usage_[local.number].whole = false;
    }

    ir::module& m_;
    std::vector<usage> usage_;  // by variable
    value_replacement replacement_;
};

}  // namespace

void forward_stores(ir::module& m) { forwarder(m).run(); }

}  // namespace quern::jit
