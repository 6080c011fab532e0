// Seeded random kernels over u32, small and always valid: for properties of canonical form, text, bytes and passes.
// Every invocation reads x and its own element of y and ends after a few steps, so that any two runs can be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dsl/ir/traversal.hpp"
#include "tests/unit/ir_kernels.hpp"

namespace quern::tests {

/// splitmix64
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}
    std::uint32_t below(std::size_t end) {
        state_ += 0x9e37'79b9'7f4a'7c15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9u;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebu;
        return static_cast<std::uint32_t>((z ^ (z >> 31)) % end);
    }

private:
    std::uint64_t state_;
};

/// One seed gives one kernel with every compiler: nothing random stands in arguments that C++ may evaluate in any
/// order.
class random_kernel {
public:
    explicit random_kernel(std::uint64_t seed) : random_(seed), k_("random") {
        const auto u32 = k_.scalar(ir::scalar_kind::u32);
        y_ = k_.buffer("y", ir::access::read_write, u32);
        x_ = k_.buffer("x", ir::access::read, u32);
        values_.push_back(k_.value("a", u32));
        id_ = k_.op(ir::op::global_id, {}, 0);
        values_.push_back(id_);
        for (int i = 0; i < 3; ++i) variables_.push_back(k_.local("t", k_.u32(random_.below(5))));
    }

    ir::module make(std::uint32_t statements) {
        fill(statements, 0, false);
        k_.store(y_, id_, any());
        return k_.finish();
    }

private:
    ir::value_id any() { return values_[random_.below(values_.size())]; }
    ir::variable_id any_variable() { return variables_[random_.below(variables_.size())]; }
    ir::value_id condition() { return k_.op(ir::op::lt, {any(), any()}); }

    void fill(std::uint32_t statements, int depth, bool in_loop) {
        const std::size_t values = values_.size(), variables = variables_.size();
        for (std::uint32_t i = 0; i < statements; ++i) add(depth, in_loop);
        values_.resize(values);
        variables_.resize(variables);
    }

    void add(int depth, bool in_loop) {
        static constexpr ir::op binary[]{ir::op::add, ir::op::sub, ir::op::mul,     ir::op::div,     ir::op::rem,
                                         ir::op::min, ir::op::max, ir::op::bit_and, ir::op::bit_xor, ir::op::shl};
        const std::uint32_t kind = random_.below(depth < 3 ? 20 : 14);
        const auto inner = [&](bool loop) {
            return [this, depth, loop] { fill(1 + random_.below(6), depth + 1, loop); };
        };
        if (kind < 5) {
            const ir::op code = binary[random_.below(std::size(binary))];
            values_.push_back(k_.op(code, {any(), any()}));
        } else if (kind < 7) {
            values_.push_back(k_.u32(random_.below(4)));
        } else if (kind < 9) {
            values_.push_back(k_.load(x_, k_.op(ir::op::bit_and, {any(), k_.u32(15)})));
        } else if (kind == 9) {
            values_.push_back(k_.load(y_, id_));
        } else if (kind == 10) {
            values_.push_back(k_.get(any_variable()));
        } else if (kind == 11) {
            const ir::variable_id to = any_variable();
            k_.set(to, any());
        } else if (kind == 12) {
            k_.store(y_, id_, any());
        } else if (kind == 13) {
            if (random_.below(3) == 0) variables_.push_back(k_.local("t", any()));
            values_.push_back(k_.op(ir::op::select, {condition(), any(), any()}));
        } else if (kind < 16) {
            k_.if_(condition(), inner(in_loop), inner(in_loop));
        } else if (kind == 16) {
            const auto first = k_.op(ir::op::bit_and, {any(), k_.u32(1)});
            const auto last = k_.op(ir::op::bit_and, {any(), k_.u32(3)});
            k_.for_(first, last, k_.u32(1), [&](ir::value_id i) {
                values_.push_back(i);
                fill(1 + random_.below(6), depth + 1, true);
                values_.pop_back();
            });
        } else if (kind == 17) {
            add_while(depth);
        } else if (kind == 18) {
            const ir::switch_case cases[]{{random_.below(2), k_.block(inner(in_loop))}, {2, k_.block(inner(in_loop))}};
            const auto otherwise = k_.block(inner(in_loop));
            k_.b.append_switch(k_.op(ir::op::rem, {any(), k_.u32(4)}), cases, otherwise);
        } else {
            add_jump(in_loop);
        }
    }

    /// The counter is no variable that statements may store to, so that the loop ends.
    void add_while(int depth) {
        const ir::variable_id counter = k_.local("count", k_.u32(0));
        k_.while_([&] { return k_.op(ir::op::lt, {k_.get(counter), k_.op(ir::op::bit_and, {any(), k_.u32(3)})}); },
                  [&] {
                      k_.set(counter, k_.op(ir::op::add, {k_.get(counter), k_.u32(1)}));
                      fill(1 + random_.below(6), depth + 1, true);
                  });
    }

    void add_jump(bool in_loop) {
        k_.if_(condition(), [&] {
            const std::uint32_t kind = random_.below(in_loop ? 5 : 1);
            if (kind == 0)
                k_.put(ir::return_statement{});
            else if (kind < 3)
                k_.put(ir::break_statement{});
            else
                k_.put(ir::continue_statement{});
        });
    }

    random_source random_;
    maker k_;
    std::uint32_t y_ = 0, x_ = 0;
    ir::value_id id_;
    std::vector<ir::value_id> values_;  ///< visible here
    std::vector<ir::variable_id> variables_;
};

/// The same kernel as another compiler might record it: values and loads between effects in another order, values
/// numbered in another way.
inline ir::module reorder(ir::module m, std::uint64_t seed) {
    random_source random(seed);
    for (ir::block& b : m.blocks) {
        for (std::size_t first = 0, last = 0; first < b.statements.size(); first = last + 1) {
            const auto movable = [&](std::size_t i) {
                const auto* d = std::get_if<ir::define>(&b.statements[i]);
                return d && ir::is_movable(m[d->value].op);
            };
            last = first;
            while (last < b.statements.size() && movable(last)) ++last;
            std::vector<ir::statement> run(b.statements.begin() + static_cast<std::ptrdiff_t>(first),
                                           b.statements.begin() + static_cast<std::ptrdiff_t>(last));
            for (std::size_t at = first; at < last; ++at) {
                std::vector<std::size_t> ready;
                for (std::size_t i = 0; i < run.size(); ++i) {
                    bool waits = false;
                    ir::for_each_use(m, run[i], [&](ir::value_id o) {
                        for (const ir::statement& other : run) waits |= std::get<ir::define>(other).value == o;
                    });
                    if (!waits) ready.push_back(i);
                }
                const std::size_t chosen = ready[random.below(ready.size())];
                b.statements[at] = run[chosen];
                run.erase(run.begin() + static_cast<std::ptrdiff_t>(chosen));
            }
        }
    }

    std::vector<std::uint32_t> number(m.values.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) number[i] = i;
    for (std::size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random.below(i)]);
    const auto renumber = [&](ir::value_id& v) { v = {number[v.number]}; };
    const std::vector<ir::value> old = m.values;
    const std::vector<std::string> names = std::exchange(m.value_names, std::vector<std::string>(old.size()));
    for (std::size_t i = 0; i < old.size(); ++i) {
        m.values[number[i]] = old[i];
        if (i < names.size()) m.value_names[number[i]] = names[i];
    }
    m.value_locations.clear();
    for (ir::value_id& o : m.operands) renumber(o);
    for (ir::step& s : m.steps)
        if (s.kind == ir::step::kind::index) renumber(s.index);
    for (ir::block& b : m.blocks)
        for (ir::statement& s : b.statements) {
            if (auto* d = std::get_if<ir::define>(&s)) renumber(d->value);
            if (auto* t = std::get_if<ir::store>(&s)) renumber(t->value);
            if (auto* i = std::get_if<ir::if_statement>(&s)) renumber(i->condition);
            if (auto* l = std::get_if<ir::for_statement>(&s))
                for (ir::value_id* v : {&l->induction, &l->first, &l->last, &l->step}) renumber(*v);
            if (auto* w = std::get_if<ir::while_statement>(&s)) renumber(w->condition);
            if (auto* c = std::get_if<ir::switch_statement>(&s)) renumber(c->selector);
            if (auto* a = std::get_if<ir::assume>(&s)) renumber(a->condition);
        }
    return m;
}

}  // namespace quern::tests
