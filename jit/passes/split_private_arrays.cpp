#include "jit/passes/split_private_arrays.hpp"

#include <optional>
#include <utility>

#include "dsl/ir/importer.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::jit {
namespace {

/// Larger ones do not fit registers and are better off in one piece of memory.
constexpr std::uint32_t largest_split_bytes = 512;
/// Each access of the whole becomes as many accesses.
constexpr std::uint32_t most_parts_of_whole = 16;

struct usage {
    bool by_part = false;  ///< read or written in part
    bool whole = false;    ///< read or written as a whole
    bool open = false;     ///< reached at an index that is not known, or that is out of range
    ir::variable_id first_part;  ///< its parts follow each other
};

/// Takes one level of types apart.
class splitter {
public:
    explicit splitter(ir::module& m) : m_(m), usage_(m.variables.size()) {}

    bool run() {
        for (const ir::block& b : m_.blocks)
            for (const ir::statement& s : b.statements) note(s);
        bool splits = false;
        for (std::uint32_t i = 0; i < usage_.size(); ++i) splits |= make_parts({i});
        if (!splits) return false;
        for (std::size_t b = 0; b < m_.blocks.size(); ++b) rewrite(m_.blocks[b]);
        return true;
    }

private:
    void note(const ir::statement& s) {
        if (const auto* t = std::get_if<ir::store>(&s)) note(t->place);
        const auto* d = std::get_if<ir::define>(&s);
        if (d && ir::accesses_memory(m_[d->value].op)) note(m_.place_of(d->value));
    }

    void note(ir::place_id p) {
        const ir::variable_id local = ir::local_root(m_, p);
        if (!local) return;
        usage& u = usage_[local.number];
        if (m_[p].steps.count == 0) u.whole = true;
        else if (part_of(p)) u.by_part = true;
        else u.open = true;
    }

    /// The number of the part that the place's first step reaches, if it is known.
    std::optional<std::uint32_t> part_of(ir::place_id p) const {
        const ir::step& s = m_.steps_of(p)[0];
        if (s.kind == ir::step::kind::member) return s.member;
        const std::uint32_t count = m_[m_.variables[m_[p].number].type].count;
        if (m_[s.index].op != ir::op::constant || m_[s.index].immediate >= count) return {};
        return static_cast<std::uint32_t>(m_[s.index].immediate);
    }

    bool make_parts(ir::variable_id v) {
        usage& u = usage_[v.number];
        const ir::type_id whole = m_[v].type;
        if (u.open || !u.by_part || m_[whole].size_bytes > largest_split_bytes) return false;
        if (u.whole && m_[whole].count > most_parts_of_whole) return false;
        u.first_part = {static_cast<std::uint32_t>(m_.variables.size())};
        for (std::uint32_t i = 0; i < m_[whole].count; ++i) {
            m_.variables.push_back({ir::storage::local, part_type(whole, i)});
            ir::importer::copy_name(m_.variable_names, v.number, m_.variable_names, m_.variables.size() - 1);
        }
        return true;
    }

    ir::type_id part_type(ir::type_id whole, std::uint32_t part) const {
        return m_[whole].kind == ir::type_kind::structure ? m_.members_of(whole)[part].type : m_[whole].element;
    }

    /// The variable's usage if it is split.
    const usage* split_of(std::uint32_t variable) const {
        return variable < usage_.size() && usage_[variable].first_part ? &usage_[variable] : nullptr;
    }
    const usage* split_of(ir::place_id p) const {
        const ir::variable_id local = ir::local_root(m_, p);
        return local ? split_of(local.number) : nullptr;
    }

    void rewrite(ir::block& b) {
        ir::block old = std::exchange(b, {});
        old.locations.resize(old.statements.size());
        for (std::size_t i = 0; i < old.statements.size(); ++i) {
            ir::statement& s = old.statements[i];
            const auto keep = [&](ir::statement made) {
                b.statements.push_back(std::move(made));
                b.locations.push_back(old.locations[i]);
            };
            if (const auto* d = std::get_if<ir::declare>(&s)) {
                if (const usage* u = split_of(d->variable.number)) {
                    for (std::uint32_t n = 0; n < m_[m_[d->variable].type].count; ++n) keep(ir::declare{part(*u, n)});
                    continue;
                }
            } else if (auto* t = std::get_if<ir::store>(&s)) {
                if (const usage* u = split_of(t->place)) {
                    rewrite_store(*t, *u, keep);
                    continue;
                }
            } else if (const auto* d = std::get_if<ir::define>(&s); d && m_[d->value].op == ir::op::load) {
                if (const usage* u = split_of(m_.place_of(d->value))) rewrite_load(d->value, *u, keep);
            }
            keep(std::move(s));
        }
    }

    static ir::variable_id part(const usage& u, std::uint32_t n) { return {u.first_part.number + n}; }

    template <class Keep>
    void rewrite_store(const ir::store& t, const usage& u, Keep keep) {
        if (m_[t.place].steps.count != 0) return keep(ir::store{place_in_part(t.place, u), t.value});
        const ir::type_id whole = m_[t.value].type;
        for (std::uint32_t n = 0; n < m_[whole].count; ++n) {
            const ir::value_id piece = add(ir::op::extract, part_type(whole, n), n);
            m_[piece].operands = {static_cast<std::uint32_t>(m_.operands.size()), 1};
            m_.operands.push_back(t.value);
            keep(ir::define{piece});
            keep(ir::store{place_of_part(u, n), piece});
        }
    }

    /// The load stays, of a part; a load of the whole puts it together.
    template <class Keep>
    void rewrite_load(ir::value_id v, const usage& u, Keep keep) {
        const ir::place_id from = m_.place_of(v);
        if (m_[from].steps.count != 0) {
            m_[v].immediate = place_in_part(from, u).number;
            return;
        }
        const ir::type_id whole = m_[v].type;
        std::vector<ir::value_id> pieces;
        for (std::uint32_t n = 0; n < m_[whole].count; ++n) {
            pieces.push_back(add(ir::op::load, part_type(whole, n), place_of_part(u, n).number));
            keep(ir::define{pieces.back()});
        }
        m_[v].op = ir::op::construct;
        m_[v].immediate = 0;
        m_[v].operands = {static_cast<std::uint32_t>(m_.operands.size()), m_[whole].count};
        m_.operands.insert(m_.operands.end(), pieces.begin(), pieces.end());
    }

    ir::value_id add(ir::op code, ir::type_id type, std::uint64_t immediate) {
        m_.values.push_back({code, type, {}, immediate});
        return {static_cast<std::uint32_t>(m_.values.size() - 1)};
    }

    ir::place_id add(const ir::place& p) {
        m_.places.push_back(p);
        return {static_cast<std::uint32_t>(m_.places.size() - 1)};
    }

    /// The same place, reached from the part.
    ir::place_id place_in_part(ir::place_id p, const usage& u) {
        ir::place made = m_[p];
        made.number = part(u, *part_of(p)).number;
        made.steps = {made.steps.first + 1, made.steps.count - 1};
        return add(made);
    }

    ir::place_id place_of_part(const usage& u, std::uint32_t n) {
        const ir::variable_id v = part(u, n);
        return add({ir::root_kind::variable, v.number, m_[v].type, {}});
    }

    ir::module& m_;
    std::vector<usage> usage_;  ///< by variable
};

}  // namespace

void split_private_arrays(ir::module& m) {
    while (splitter(m).run()) continue;  // types are finite: each round takes off one level
}

}  // namespace quern::jit
