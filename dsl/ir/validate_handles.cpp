// Handles, slices and type layouts: what everything else indexes by.
#include <algorithm>
#include <bit>

#include "dsl/ir/effects.hpp"
#include "dsl/ir/traversal.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {
namespace {

class handle_check {
public:
    explicit handle_check(const module& m) : m_(m) {}

    void run() {
        check_types();
        for (const parameter& p : m_.parameters) within(p.type, m_.types, "parameter type");
        for (const variable& v : m_.variables) within(v.type, m_.types, "variable type");
        for (const value_id o : m_.operands) within(o, m_.values, "operand");
        for (const step& s : m_.steps)
            if (s.kind == step::kind::index) within(s.index, m_.values, "index");
        for (std::size_t i = 0; i < m_.places.size(); ++i) check_place(m_.places[i]);
        for (std::size_t i = 0; i < m_.values.size(); ++i) check_value({static_cast<std::uint32_t>(i)});
        for (const switch_case& c : m_.cases) within(c.body, m_.blocks, "case");
        for (const block& b : m_.blocks)
            for (const statement& s : b.statements) check_statement_handles(s);
        within(m_.body, m_.blocks, "body");
    }

private:
    template <class Tag, class T>
    void within(id<Tag> handle, const std::vector<T>& arena, const char* what) const {
        if (handle.number >= arena.size()) reject(m_, {}, "{} {} does not exist", what, handle.number);
    }

    template <class T>
    void within(slice s, const std::vector<T>& arena, const char* what) const {
        if (s.first > arena.size() || s.count > arena.size() - s.first)
            reject(m_, {}, "{} {}+{} do not exist", what, s.first, s.count);
    }

    /// Types refer to earlier ones, so that one pass in order suffices and nothing is recursive without end.
    void check_types() const {
        std::vector<std::uint32_t> depth(m_.types.size(), 1);
        for (std::uint32_t i = 0; i < m_.types.size(); ++i) {
            const type& t = m_.types[i];
            within(t.members, m_.members, "members");
            const auto contain = [&](type_id inner) {
                if (inner.number >= i) reject(m_, {}, "type {} contains type {}", i, inner.number);
                depth[i] = std::max(depth[i], depth[inner.number] + 1);
            };
            if (t.kind == type_kind::vector || t.kind == type_kind::array) contain(t.element);
            for (const member& inner : m_.members_of({i})) contain(inner.type);
            if (depth[i] > max_type_depth) reject(m_, {}, "types are nested more than {} deep", max_type_depth);
            if (!is_sound({i})) reject(m_, {}, "type {} has no sound layout", i);
        }
    }

    bool is_sound(type_id id) const {
        const type& t = m_[id];
        const bool known = t.scalar > scalar_kind::none && t.scalar <= scalar_kind::f64;
        const std::uint64_t scalar_size = known ? size_bytes(t.scalar) : 0;
        switch (t.kind) {
            case type_kind::none: return t.size_bytes == 0 && t.members.count == 0 && t.element.is_none();
            case type_kind::scalar:
                return known && t.count == 1 && t.size_bytes == scalar_size && t.alignment_bytes == scalar_size &&
                       t.members.count == 0 && t.element.is_none();
            case type_kind::vector:
                return known && t.count >= 2 && t.count <= 4 && t.size_bytes == t.count * scalar_size &&
                       t.alignment_bytes == scalar_size && t.members.count == 0 &&
                       m_[t.element].kind == type_kind::scalar && m_[t.element].scalar == t.scalar;
            case type_kind::array: {
                const type& e = m_[t.element];
                return t.count > 0 && t.members.count == 0 && e.kind != type_kind::none &&
                       std::uint64_t{t.count} * e.size_bytes == t.size_bytes && t.alignment_bytes == e.alignment_bytes;
            }
            case type_kind::structure: {
                if (t.count == 0 || t.count != t.members.count || t.element || !std::has_single_bit(t.alignment_bytes))
                    return false;
                std::uint64_t end = 0;  // members come in order and do not overlap
                for (const member& inner : m_.members_of(id)) {
                    const type& part = m_[inner.type];
                    if (part.kind == type_kind::none || inner.offset_bytes < end ||
                        inner.offset_bytes % part.alignment_bytes != 0 || t.alignment_bytes < part.alignment_bytes)
                        return false;
                    end = std::uint64_t{inner.offset_bytes} + part.size_bytes;
                }
                return end <= t.size_bytes && t.size_bytes % t.alignment_bytes == 0;
            }
        }
        return false;
    }

    void check_place(const place& p) const {
        within(p.type, m_.types, "place type");
        within(p.steps, m_.steps, "steps");
        const std::size_t roots = p.root == root_kind::parameter ? m_.parameters.size() : m_.variables.size();
        if (p.number >= roots) reject(m_, {}, "the root {} of a place does not exist", p.number);
    }

    void check_value(value_id id) const {
        const value& v = m_[id];
        const location_id at = location_of(m_, id);
        if (static_cast<std::size_t>(v.op) >= op_count) reject(m_, at, "unknown op");
        if (v.type.number >= m_.types.size()) reject(m_, at, "{} has no type", info(v.op).name);
        within(v.operands, m_.operands, "operands");
        if (accesses_memory(v.op) && v.immediate >= m_.places.size())
            reject(m_, at, "the place of {} does not exist", info(v.op).name);
    }

    void check_statement_handles(const statement& s) const {
        if (const auto* d = std::get_if<define>(&s)) return within(d->value, m_.values, "value");
        if (const auto* d = std::get_if<declare>(&s)) return within(d->variable, m_.variables, "variable");
        if (const auto* t = std::get_if<store>(&s)) within(t->place, m_.places, "place");
        if (const auto* l = std::get_if<for_statement>(&s)) within(l->induction, m_.values, "induction");
        if (const auto* w = std::get_if<switch_statement>(&s)) within(w->cases, m_.cases, "cases");
        for_each_use(m_, s, [&](value_id v) { within(v, m_.values, "value"); });
        for_each_block(m_, s, [&](block_id b) { within(b, m_.blocks, "block"); });
    }

    const module& m_;
};

}  // namespace

void check_handles(const module& m) { handle_check(m).run(); }

}  // namespace quern::ir
