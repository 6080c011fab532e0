// Copies records of one module into another that is being built: types interned, variables and values at their first
// use, side tables along with them. The caller says how operands are renumbered and where statements go.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dsl/ir/builder.hpp"
#include "dsl/ir/module.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::ir {

class importer {
public:
    importer(const module& from, module& to)
        : from_(from), to_(to), types_(from.types.size()), variables_(from.variables.size()) {}

    /// What is not in arenas, the parameters, files and locations.
    void header() {
        to_.name = from_.name;
        to_.launch = from_.launch;
        to_.workgroup_size = from_.workgroup_size;
        to_.covers = from_.covers;
        to_.math = from_.math;
        to_.cooperative = from_.cooperative;
        to_.files = from_.files;
        to_.locations = from_.locations;
        to_.parameter_names = from_.parameter_names;
        for (parameter p : from_.parameters) {
            p.type = type(p.type);
            to_.parameters.push_back(p);
        }
    }

    type_id type(type_id t) {
        type_id& known = types_[t.number];
        if (!known) known = intern_copy(t);
        return known;
    }

    variable_id variable(variable_id v) {
        variable_id& known = variables_[v.number];
        if (known) return known;
        known = {static_cast<std::uint32_t>(to_.variables.size())};
        to_.variables.push_back({from_[v].storage, type(from_[v].type)});
        copy_name(from_.variable_names, v.number, to_.variable_names, known.number);
        return known;
    }

    template <class Renumber>
    place_id place(place_id p, Renumber renumber) {
        const ir::place& old = from_[p];
        ir::place made = old;
        if (old.root == root_kind::variable) made.number = variable({old.number}).number;
        made.type = type(old.type);
        made.steps = {static_cast<std::uint32_t>(to_.steps.size()), old.steps.count};
        for (step s : from_.steps_of(p)) {
            if (s.kind == step::kind::index)
                s = {.index = renumber(s.index)};
            else
                s = {.kind = step::kind::member, .member = s.member};
            to_.steps.push_back(s);
        }
        to_.places.push_back(made);
        return {static_cast<std::uint32_t>(to_.places.size() - 1)};
    }

    template <class Renumber>
    value_id value(value_id v, Renumber renumber) {
        ir::value made = from_[v];
        made.type = type(made.type);
        if (accesses_memory(made.op)) made.immediate = place(from_.place_of(v), renumber).number;
        if (made.op == op::swizzle) made.immediate = normalise_swizzle(made.immediate);
        made.operands.first = static_cast<std::uint32_t>(to_.operands.size());
        for (const value_id o : from_.operands_of(v)) to_.operands.push_back(renumber(o));
        const value_id added{static_cast<std::uint32_t>(to_.values.size())};
        to_.values.push_back(made);
        to_.value_locations.push_back(location_of(from_, v));
        copy_name(from_.value_names, v.number, to_.value_names, added.number);
        return added;
    }

    slice cases(std::span<const switch_case> all) {
        const slice s{static_cast<std::uint32_t>(to_.cases.size()), static_cast<std::uint32_t>(all.size())};
        to_.cases.insert(to_.cases.end(), all.begin(), all.end());
        return s;
    }

    static void copy_name(const std::vector<std::string>& from, std::size_t old, std::vector<std::string>& to,
                          std::size_t added) {
        if (old >= from.size() || from[old].empty()) return;
        if (to.size() <= added) to.resize(added + 1);
        to[added] = from[old];
    }

private:
    /// Exactly one 15 behind the last component, so that equal swizzles have equal bits.
    static std::uint64_t normalise_swizzle(std::uint64_t immediate) {
        const std::uint64_t end = std::uint64_t{15} << (4 * swizzle_count(immediate));
        return (immediate & ((end & (0 - end)) - 1)) | end;
    }

    type_id intern_copy(type_id t) {
        const ir::type old = from_[t];
        switch (old.kind) {
            case type_kind::none: return intern_none(to_);
            case type_kind::scalar: return intern_scalar(to_, old.scalar);
            case type_kind::vector: return intern_vector(to_, old.scalar, old.count);
            case type_kind::array: return intern_array(to_, type(old.element), old.count);
            case type_kind::structure: {
                std::vector<member> members;
                for (const member& inner : from_.members_of(t))
                    members.push_back({inner.offset_bytes, type(inner.type), inner.name});
                return intern_struct(to_, members, old.size_bytes, old.alignment_bytes);
            }
        }
        return {};
    }

    const module& from_;
    module& to_;
    std::vector<type_id> types_;
    std::vector<variable_id> variables_;
};

}  // namespace quern::ir
