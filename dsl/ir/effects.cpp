#include "dsl/ir/effects.hpp"

#include <algorithm>

namespace quern::ir {

bool is_cooperative(const module& m) {
    return std::ranges::any_of(m.values, [](const value& v) { return is_cooperative(v.op); }) ||
           std::ranges::any_of(m.variables, [](const variable& v) { return v.storage == storage::shared; }) ||
           std::ranges::any_of(m.blocks, [](const block& b) {
               return std::ranges::any_of(b.statements,
                                          [](const statement& s) { return std::holds_alternative<barrier>(s); });
           });
}

std::vector<bool> find_unchanging_buffers(const module& m) {
    std::vector<bool> unchanging(m.parameters.size(), false);
    if (std::any_of(m.parameters.begin(), m.parameters.end(), [](const parameter& p) { return p.aliased; }))
        return unchanging;
    for (std::size_t i = 0; i < m.parameters.size(); ++i)
        unchanging[i] = m.parameters[i].kind == parameter_kind::buffer && m.parameters[i].access != access::write;

    const auto written = [&](place_id p) {
        if (m[p].root == root_kind::parameter) unchanging[m[p].number] = false;
    };
    for (const block& b : m.blocks)
        for (const statement& s : b.statements) {
            if (const auto* stored = std::get_if<store>(&s)) written(stored->place);
            const auto* defined = std::get_if<define>(&s);
            if (defined && info(m[defined->value].op).effect == effect::atomic) written(m.place_of(defined->value));
        }
    return unchanging;
}

}  // namespace quern::ir
