// Types against the rules of ops.def: one judgement an operand rule and a result rule, none an op where the rule says
// it.
#include <quern/error.hpp>

#include <algorithm>
#include <set>

#include "dsl/ir/effects.hpp"
#include "dsl/ir/keywords.hpp"
#include "dsl/ir/literal.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/traversal.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {
namespace {

bool is_plain(const type& t) { return t.kind == type_kind::scalar || t.kind == type_kind::vector; }
bool is_scalar(const type& t, scalar_kind k) { return t.kind == type_kind::scalar && t.scalar == k; }
bool is_index(const type& t) {
    return t.kind == type_kind::scalar && is_integer(t.scalar) && size_bytes(t.scalar) >= 4;
}
bool is_u32_or_u64(const type& t) { return is_scalar(t, scalar_kind::u32) || is_scalar(t, scalar_kind::u64); }
/// Width of a scalar is 1: the shape that a comparison's result or a cast keeps.
bool same_shape(const type& a, const type& b) { return is_plain(a) && a.kind == b.kind && a.count == b.count; }

class type_check {
public:
    explicit type_check(const module& m) : m_(m) {}

    void run() {
        for (const parameter& p : m_.parameters)
            if (m_[p.type].kind == type_kind::none) reject(m_, {}, "a parameter has no type");
        for (const variable& v : m_.variables)
            if (m_[v.type].kind == type_kind::none) reject(m_, {}, "a variable has no type");
        for (std::uint32_t i = 0; i < m_.places.size(); ++i) check_place({i});
        for (std::uint32_t i = 0; i < m_.values.size(); ++i) check_value({i});
    }

private:
    void check_place(place_id id) const {
        const place& p = m_[id];
        const auto steps = m_.steps_of(id);
        type_id inside = p.root == root_kind::parameter ? m_.parameters[p.number].type : m_.variables[p.number].type;
        bool element = p.root == root_kind::parameter;
        if (element && m_.parameters[p.number].kind != parameter_kind::buffer)
            reject(m_, {}, "a place in value parameter {}", p.number);
        if (element && (steps.empty() || steps[0].kind != step::kind::index))
            reject(m_, {}, "a place in a buffer begins with an index");
        for (const step& s : steps) {
            const type& whole = m_[inside];
            if (s.kind == step::kind::index && !is_index(m_.type_of(s.index)))
                reject(m_, location_of(m_, s.index), "an index must be a 32- or 64-bit integer, not {}",
                       print_type(m_, m_[s.index].type));
            if (!element) {
                const bool part = whole.kind == type_kind::vector ||
                                  (whole.kind == type_kind::array && s.kind == step::kind::index) ||
                                  (whole.kind == type_kind::structure && s.kind == step::kind::member);
                if (!part || (s.kind == step::kind::member && s.member >= whole.count))
                    reject(m_, {}, "{} has no such part", print_type(m_, inside));
                inside = whole.kind == type_kind::structure ? m_.members_of(inside)[s.member].type : whole.element;
            }
            element = false;
        }
        if (inside != p.type)
            reject(m_, {}, "a place holds {}, not {}", print_type(m_, inside), print_type(m_, p.type));
    }

    void check_value(value_id id) const {
        const value& v = m_[id];
        const auto operands = m_.operands_of(id);
        const bool counted = info(v.op).arity < 0 || operands.size() == static_cast<std::size_t>(info(v.op).arity);
        if (!counted) fail(id, "has the wrong number of operands");
        if (!obeys_operand_rule(id)) fail(id, "has operands of wrong types");
        if (!obeys_result_rule(id)) fail(id, "has a result of the wrong type");
    }

    [[noreturn]] void fail(value_id id, std::string_view what) const {
        std::string signature = fmt::format("{}(", info(m_[id].op).name);
        for (const value_id o : m_.operands_of(id))
            signature += (signature.back() == '(' ? "" : ", ") + print_type(m_, m_[o].type);
        reject(m_, location_of(m_, id), "{}) -> {} {}", signature, print_type(m_, m_[id].type), what);
    }

    const type& operand(value_id v, std::size_t i) const { return m_.type_of(m_.operands_of(v)[i]); }

    /// All operands have one type, scalar or vector, with such components.
    bool uniform(value_id id, bool (*accepts)(scalar_kind)) const {
        const auto operands = m_.operands_of(id);
        const type_id first = m_[operands[0]].type;
        return is_plain(m_[first]) && accepts(m_[first].scalar) &&
               std::all_of(operands.begin(), operands.end(), [&](value_id o) { return m_[o].type == first; });
    }

    bool obeys_operand_rule(value_id id) const {
        const value& v = m_[id];
        switch (info(v.op).operands) {
            case operand_rule::none: return true;
            case operand_rule::arithmetic: return uniform(id, is_arithmetic);
            case operand_rule::integral: return uniform(id, is_integer);
            case operand_rule::floating: return uniform(id, is_float);
            case operand_rule::bits: return uniform(id, [](scalar_kind k) { return !is_float(k); });
            case operand_rule::any: return uniform(id, [](scalar_kind k) { return k != scalar_kind::none; });
            case operand_rule::selection: {
                const type& c = operand(id, 0);
                const type& a = operand(id, 1);
                return m_[m_.operands_of(id)[1]].type == m_[m_.operands_of(id)[2]].type && is_plain(a) &&
                       c.scalar == scalar_kind::boolean && (c.kind == type_kind::scalar || same_shape(c, a));
            }
            case operand_rule::conversion: return same_shape(operand(id, 0), m_[v.type]);
            case operand_rule::reinterpret:
                return is_plain(operand(id, 0)) && is_plain(m_[v.type]) &&
                       operand(id, 0).scalar != scalar_kind::boolean && m_[v.type].scalar != scalar_kind::boolean &&
                       operand(id, 0).size_bytes == m_[v.type].size_bytes;
            case operand_rule::components: return obeys_components(id);
            case operand_rule::component:
                return v.immediate < operand(id, 0).count && part(id).number < m_.types.size();
            case operand_rule::replacement:
                return operand(id, 0).kind != type_kind::array && v.immediate < operand(id, 0).count &&
                       part(id) == m_[m_.operands_of(id)[1]].type;
            case operand_rule::dynamic:
                return operand(id, 0).kind == type_kind::vector &&
                       (is_scalar(operand(id, 1), scalar_kind::u32) || is_scalar(operand(id, 1), scalar_kind::i32));
            case operand_rule::lanes: return obeys_lanes(id);
            case operand_rule::boolean: return is_scalar(operand(id, 0), scalar_kind::boolean);
            case operand_rule::lane_value:
                return is_plain(operand(id, 0)) && operand(id, 0).scalar != scalar_kind::boolean;
            case operand_rule::lane_select:
                return is_plain(operand(id, 0)) && is_scalar(operand(id, 1), scalar_kind::u32);
            case operand_rule::atomic: return obeys_atomic(id);
        }
        return false;
    }

    /// The type of the part of operand 0 that the immediate names, or none.
    type_id part(value_id id) const {
        const type& whole = operand(id, 0);
        if (whole.kind != type_kind::structure) return whole.element;
        return m_.members_of(m_[m_.operands_of(id)[0]].type)[m_[id].immediate].type;
    }

    bool obeys_components(value_id id) const {
        const type& whole = m_.type_of(id);
        const auto operands = m_.operands_of(id);
        if (whole.kind == type_kind::none || whole.kind == type_kind::scalar || operands.size() != whole.count)
            return false;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const type_id wanted =
                whole.kind == type_kind::structure ? m_.members_of(m_[id].type)[i].type : whole.element;
            if (m_[operands[i]].type != wanted) return false;
        }
        return true;
    }

    bool obeys_lanes(value_id id) const {
        const value& v = m_[id];
        const type& from = operand(id, 0);
        const std::uint32_t count = swizzle_count(v.immediate);
        if (from.kind != type_kind::vector || m_[v.type].kind != type_kind::vector) return false;
        if (count != m_[v.type].count || m_[v.type].scalar != from.scalar) return false;
        for (std::uint32_t i = 0; i < count; ++i)
            if (((v.immediate >> (4 * i)) & 15) >= from.count) return false;
        return true;
    }

    bool obeys_atomic(value_id id) const {
        const value& v = m_[id];
        const place& p = m_[m_.place_of(id)];
        const type& held = m_[p.type];
        if (held.kind != type_kind::scalar || size_bytes(held.scalar) < 4) return false;
        if (p.root == root_kind::variable && m_.variables[p.number].storage == storage::local) return false;
        const bool on_floats = v.op == op::atomic_add || v.op == op::atomic_min || v.op == op::atomic_max ||
                               v.op == op::atomic_exchange || v.op == op::atomic_load || v.op == op::atomic_store;
        if (!is_integer(held.scalar) && !(on_floats && is_float(held.scalar))) return false;
        const bool reads_only = v.op == op::atomic_load;
        if (p.root == root_kind::parameter && m_.parameters[p.number].access != access::read_write &&
            !(reads_only && m_.parameters[p.number].access == access::read) &&
            !(v.op == op::atomic_store && m_.parameters[p.number].access == access::write))
            return false;
        const auto operands = m_.operands_of(id);
        return std::all_of(operands.begin(), operands.end(), [&](value_id o) { return m_[o].type == p.type; });
    }

    bool obeys_result_rule(value_id id) const {
        const value& v = m_[id];
        const type& result = m_[v.type];
        switch (info(v.op).result) {
            case result_rule::same: return v.type == m_[m_.operands_of(id).front()].type;
            case result_rule::last: return v.type == m_[m_.operands_of(id).back()].type;
            case result_rule::boolean:
                return result.scalar == scalar_kind::boolean && same_shape(result, operand(id, 0));
            case result_rule::scalar: return v.type == operand(id, 0).element;
            case result_rule::none: return result.kind == type_kind::none;
            case result_rule::given: return obeys_given(id);
        }
        return false;
    }

    bool obeys_given(value_id id) const {
        const value& v = m_[id];
        const type& result = m_[v.type];
        if (v.op == op::constant) return result.kind == type_kind::scalar && fits({result.scalar, v.immediate});
        if (v.op == op::parameter)
            return v.immediate < m_.parameters.size() && m_.parameters[v.immediate].kind == parameter_kind::value &&
                   m_.parameters[v.immediate].type == v.type;
        if (v.op == op::buffer_size)
            return v.immediate < m_.parameters.size() && m_.parameters[v.immediate].kind == parameter_kind::buffer &&
                   is_u32_or_u64(result);
        if (v.op == op::induction) return is_index(result);
        if (is_leaf(v.op)) return v.immediate < (has_dimension(v.op) ? 3u : 1u) && is_u32_or_u64(result);
        if (v.op == op::subgroup_ballot)
            return result.kind == type_kind::vector && result.count == 4 && result.scalar == scalar_kind::u32;
        if (v.op == op::extract) return v.type == part(id);
        if (v.op == op::load) return obeys_load(id);
        if (accesses_memory(v.op)) return v.type == m_[m_.place_of(id)].type;
        return true;  // cast, bit_cast, construct, swizzle: their operand rules have seen the result
    }

    bool obeys_load(value_id id) const {
        const place& p = m_[m_.place_of(id)];
        if (p.root == root_kind::parameter && m_.parameters[p.number].access == access::write) return false;
        return p.type == m_[id].type;
    }

    const module& m_;
};

}  // namespace

void check_types(const module& m) { type_check(m).run(); }

void check_step(const module& m, const for_statement& l, value_id step, location_id at) {
    if (m[step].op != op::constant) return;
    const scalar_kind k = m.type_of(l.induction).scalar;
    const bool negative = is_signed_integer(k) && (m[step].immediate >> (bit_width(k) - 1)) != 0;
    if (m[step].immediate != 0 && !negative) return;
    throw usage_error(fmt::format("{}: the step of a for must be positive, not {}", describe(m, at),
                                  print_literal({k, m[step].immediate})));
}

void check_statement(const module& m, const statement& s, location_id at) {
    const auto condition = [&](value_id v) {
        if (!is_scalar(m.type_of(v), scalar_kind::boolean))
            reject(m, at, "a condition must be a bool, not {}", print_type(m, m[v].type));
    };
    std::visit(overloaded{
                   [&](const define& d) {
                       if (m[d.value].op == op::induction)
                           reject(m, at, "a loop's induction value has a define of its own");
                   },
                   [&](const declare& d) {
                       if (m[d.variable].storage != storage::local) reject(m, at, "a shared variable is declared");
                   },
                   [&](const store& t) {
                       const place& p = m[t.place];
                       if (p.root == root_kind::parameter && m.parameters[p.number].access == access::read)
                           reject(m, at, "a store to a buffer that is only read");
                       if (m[t.value].type != p.type)
                           reject(m, at, "a store of {} to a place that holds {}", print_type(m, m[t.value].type),
                                  print_type(m, p.type));
                   },
                   [&](const if_statement& i) { condition(i.condition); },
                   [&](const while_statement& l) { condition(l.condition); },
                   [&](const assume& a) { condition(a.condition); },
                   [&](const for_statement& l) {
                       if (m[l.induction].op != op::induction)
                           reject(m, at, "a loop counts with a value of another op");
                       for (const value_id bound : {l.first, l.last, l.step})
                           if (m[bound].type != m[l.induction].type)
                               reject(m, at, "a loop over {} is bounded by {}", print_type(m, m[l.induction].type),
                                      print_type(m, m[bound].type));
                       check_step(m, l, l.step, at);
                   },
                   [&](const switch_statement& w) {
                       const type& selector = m.type_of(w.selector);
                       if (selector.kind != type_kind::scalar || !is_integer(selector.scalar))
                           reject(m, at, "a switch over {}", print_type(m, m[w.selector].type));
                       std::set<std::uint64_t> seen;
                       for (const switch_case& one : m.cases_of(w)) {
                           if (!fits({selector.scalar, one.literal})) reject(m, at, "a case does not fit its selector");
                           if (!seen.insert(one.literal).second) reject(m, at, "two cases of a switch are equal");
                       }
                   },
                   [](const break_statement&) {},
                   [](const continue_statement&) {},
                   [](const return_statement&) {},
                   [](const barrier&) {},
                   [](const fence&) {},
               },
               s);
}

}  // namespace quern::ir
