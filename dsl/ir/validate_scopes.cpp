// Block structure and lifetimes, in one walk: who is defined, who is still visible, which loop a jump leaves.
#include <quern/error.hpp>

#include <algorithm>

#include "dsl/ir/effects.hpp"
#include "dsl/ir/traversal.hpp"
#include "dsl/ir/validation.hpp"

namespace quern::ir {
namespace {

enum class life : std::uint8_t { unborn, alive, over };
enum class loop_part : std::uint8_t { none, head, body };

class scope_check {
public:
    explicit scope_check(const module& m)
        : m_(m), values_(m.values.size()), variables_(m.variables.size()), seen_(m.blocks.size()) {}

    void run() {
        if (m_.workgroup_size != std::array<std::uint32_t, 3>{} &&
            std::find(m_.workgroup_size.begin(), m_.workgroup_size.end(), 0u) != m_.workgroup_size.end())
            reject(m_, {}, "a workgroup extent is 0");
        if (is_cooperative(m_) && !m_.cooperative) reject(m_, {}, "the kernel cooperates but is not marked so");
        walk(m_.body, loop_part::none, [] {});
    }

private:
    /// `at_end` runs while what the block defined is still alive.
    template <class AtEnd>
    void walk(block_id b, loop_part loop, AtEnd at_end) {
        if (seen_[b.number]) reject(m_, {}, "block {} has two owners", b.number);
        seen_[b.number] = true;
        if (++depth_ > max_block_depth)
            throw usage_error(fmt::format("{}: blocks are nested more than {} deep; split the kernel",
                                          describe(m_, at_), max_block_depth));
        const block& whole = m_[b];
        for (std::size_t i = 0; i < whole.statements.size(); ++i) {
            at_ = location_of(whole, i);
            visit(whole.statements[i], loop, at_);
        }
        at_end();
        for (const statement& s : whole.statements) {
            if (const auto* d = std::get_if<define>(&s)) values_[d->value.number] = life::over;
            if (const auto* d = std::get_if<declare>(&s)) variables_[d->variable.number] = life::over;
        }
        --depth_;
    }

    void walk(block_id b, loop_part loop) {
        walk(b, loop, [] {});
    }

    void visit(const statement& s, loop_part loop, location_id at) {
        if (!std::holds_alternative<while_statement>(s)) for_each_use(m_, s, [&](value_id v) { use(v, at); });
        check_statement(m_, s, at);
        if (const auto* d = std::get_if<define>(&s)) {
            if (accesses_memory(m_[d->value].op)) reach(m_.place_of(d->value), at);
            bear(d->value, at);
        } else if (const auto* d = std::get_if<declare>(&s)) {
            if (variables_[d->variable.number] != life::unborn) reject(m_, at, "a variable is declared twice");
            variables_[d->variable.number] = life::alive;
        } else if (const auto* t = std::get_if<store>(&s)) {
            reach(t->place, at);
        } else if (const auto* l = std::get_if<for_statement>(&s)) {
            bear(l->induction, at);
            walk(l->body, loop_part::body);
            values_[l->induction.number] = life::over;
        } else if (const auto* w = std::get_if<while_statement>(&s)) {
            walk(w->head, loop_part::head, [&] { use(w->condition, at); });
            walk(w->body, loop_part::body);
        } else if (std::holds_alternative<break_statement>(s) || std::holds_alternative<continue_statement>(s)) {
            if (loop == loop_part::none)
                throw usage_error(
                    fmt::format("{}: break_() and continue_() need an enclosing for_ or while_", describe(m_, at)));
            if (loop == loop_part::head)
                throw usage_error(fmt::format("{}: break_() and continue_() cannot stand in the condition of a while_",
                                              describe(m_, at)));
        } else {
            for_each_block(m_, s, [&](block_id b) { walk(b, loop); });
        }
    }

    void bear(value_id v, location_id at) {
        if (values_[v.number] != life::unborn) reject(m_, at, "{} is defined twice", info(m_[v].op).name);
        values_[v.number] = life::alive;
    }

    void use(value_id v, location_id at) const {
        if (values_[v.number] == life::over)
            throw usage_error(fmt::format(
                "{}: a value is used outside the block that made it ({}); keep it in a var declared before the block",
                describe(m_, at), describe(m_, location_of(m_, v))));
        if (values_[v.number] == life::unborn) reject(m_, at, "{} is used before it is defined", info(m_[v].op).name);
    }

    void reach(place_id p, location_id at) const {
        const variable_id local = local_root(m_, p);
        if (!local) return;
        if (variables_[local.number] == life::over)
            throw usage_error(fmt::format(
                "{}: a var is used outside the block that declared it; declare it before the block", describe(m_, at)));
        if (variables_[local.number] == life::unborn) reject(m_, at, "a variable is used before it is declared");
    }

    const module& m_;
    std::vector<life> values_, variables_;
    std::vector<bool> seen_;
    std::uint32_t depth_ = 0;
    location_id at_;
};

}  // namespace

void check_structure(const module& m) { scope_check(m).run(); }

}  // namespace quern::ir
