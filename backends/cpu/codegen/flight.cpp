#include "backends/cpu/codegen/flight.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "backends/cpu/codegen/divergence.hpp"
#include "backends/cpu/codegen/leaf_layout.hpp"
#include "backends/cpu/codegen/regions.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::cpu::codegen {
namespace {

constexpr std::uint32_t largest_code = 512;   ///< operations that a pack may have in all
constexpr std::uint32_t function_cost = 24;   ///< operations of a function that is no instruction
constexpr std::uint32_t function_registers = 6;
constexpr std::uint32_t longest_divergent_loop = 64;

bool shows_subgroups(const ir::module& m) {
    return std::ranges::any_of(m.values, [](const ir::value& v) {
        return ir::info(v.op).effect == ir::effect::convergent || v.op == ir::op::subgroup_size ||
               v.op == ir::op::subgroup_lane || v.op == ir::op::subgroup_id || v.op == ir::op::subgroup_count;
    });
}

bool is_function(const ir::module& m, ir::value_id v) {
    switch (m[v].op) {
        case ir::op::fma: case ir::op::floor: case ir::op::ceil: case ir::op::trunc: case ir::op::round: case ir::op::rint:
        case ir::op::sqrt: case ir::op::rsqrt: case ir::op::copysign: return false;
        default: return ir::info(m[v].op).operands == ir::operand_rule::floating;
    }
}

/// Walks the kernel once in order: what is computed by lane, how much of it is alive at a time, how much there is.
class estimate {
public:
    estimate(const ir::module& m, const divergence& d) : module_(m), divergence_(d), counts_up_(m.values.size(), false) {
        walk(m.body);
        for (auto& [id, r] : ranges_) {
            change_at(r.first) += r.registers;
            change_at(r.last + 1) -= r.registers;
        }
    }

    std::uint32_t code() const { return code_; }
    bool suits_one_only() const { return suits_one_only_; }
    std::uint32_t pressure() const {
        std::int32_t now = 0, most = 0;
        for (std::int32_t c : changes_) most = std::max(most, now += c);
        return static_cast<std::uint32_t>(most) + extra_;
    }

private:
    struct range {
        std::size_t first, last;
        std::int32_t registers;
        std::size_t loops;  ///< around the definition
    };

    std::int32_t& change_at(std::size_t n) {
        if (n >= changes_.size()) changes_.resize(n + 1);
        return changes_[n];
    }

    std::int32_t registers_of(ir::type_id t) const {
        const std::uint32_t leaves = leaf_count(module_, t);
        return static_cast<std::int32_t>(leaves * (module_[t].scalar != ir::scalar_kind::none && ir::bit_width(module_[t].scalar) == 64 ? 2 : 1));
    }

    /// Integers that count up by lane are kept as one scalar.
    bool counts_up(ir::value_id v) {
        if (divergence_.values[v.number] != level::lane) return true;
        const ir::op code = module_[v].op;
        if (code == ir::op::global_id || code == ir::op::local_id) return true;
        return counts_up_[v.number];
    }

    void touch(std::size_t id, ir::type_id type) {
        const auto [at, fresh] = ranges_.try_emplace(id, range{position_, position_, registers_of(type), loop_ends_.size()});
        range& r = at->second;
        r.last = std::max(r.last, position_);
        // what comes into a loop from outside is alive to its end
        if (!fresh && r.loops < loop_ends_.size()) outer_.push_back({id, r.loops});
    }

    /// What holds the value: itself, the parts that it is made of or taken from, or the variable that it was read from.
    /// Conditions are in mask registers.
    void use(ir::value_id v) {
        if (counts_up(v) || module_[v].op == ir::op::constant || module_[module_[v].type].scalar == ir::scalar_kind::boolean) return;
        switch (module_[v].op) {
            case ir::op::construct: case ir::op::extract: case ir::op::insert: case ir::op::swizzle:
                for (ir::value_id o : module_.operands_of(v)) use(o);
                return;
            case ir::op::load:
                if (access(module_.place_of(v))) return;
                break;
            default: break;  // has registers of its own
        }
        touch(v.number, module_[v].type);
    }

    bool access(ir::place_id p) {
        const ir::place& place = module_[p];
        if (place.root != ir::root_kind::variable || module_.variables[place.number].storage != ir::storage::local) return false;
        if (divergence_.variables[place.number] == level::lane)
            touch(module_.values.size() + place.number, module_.variables[place.number].type);
        return true;
    }

    void define(ir::value_id v) {
        const ir::value& value = module_[v];
        if (ir::info(value.op).effect == ir::effect::atomic) suits_one_only_ = true;
        if (divergence_.values[v.number] != level::lane) return;
        const auto operands = module_.operands_of(v);
        const auto up = [&](ir::value_id o) { return counts_up(o); };
        switch (value.op) {
            case ir::op::add: case ir::op::sub: case ir::op::mul: case ir::op::cast: case ir::op::construct: case ir::op::extract:
                counts_up_[v.number] = !ir::is_float(module_[v].type ? module_[module_[v].type].scalar : ir::scalar_kind::none) &&
                                       std::all_of(operands.begin(), operands.end(), up);
                break;
            default: break;  // computed by lane
        }
        if (counts_up_[v.number]) return;
        const bool function = is_function(module_, v);
        if (value.op == ir::op::construct || value.op == ir::op::extract || value.op == ir::op::insert || value.op == ir::op::swizzle) return;
        code_ += static_cast<std::uint32_t>(registers_of(value.type)) * (function ? function_cost : 1);
        if (function) extra_ = function_registers;
        use(v);
    }

    void walk(ir::block_id b) {
        if (b.is_none()) return;
        const auto& statements = module_[b].statements;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            const ir::statement& s = statements[i];
            ++position_;
            if (const auto* d = std::get_if<ir::define>(&s)) {
                for (ir::value_id o : module_.operands_of(d->value)) use(o);
                const ir::effect e = ir::info(module_[d->value].op).effect;
                if (e == ir::effect::load || e == ir::effect::atomic) access(module_.place_of(d->value));
                define(d->value);
            } else if (const auto* w = std::get_if<ir::store>(&s)) {
                use(w->value);
                access(w->place);
                ++code_;
            }
            const bool loops = std::holds_alternative<ir::for_statement>(s) || std::holds_alternative<ir::while_statement>(s);
            const std::uint32_t before = code_;
            if (loops) loop_ends_.push_back(position_);
            ir::for_each_block(module_, s, [&](ir::block_id inner) { walk(inner); });
            if (!loops) continue;
            ++position_;
            loop_ends_.pop_back();
            std::erase_if(outer_, [&](const auto& o) {
                if (o.loops > loop_ends_.size()) return true;
                ranges_.at(o.id).last = std::max(ranges_.at(o.id).last, position_);
                return o.loops == loop_ends_.size();
            });
            const statement_facts& facts = divergence_.at(b, i);
            if (facts.loop == level::lane && code_ - before > longest_divergent_loop) suits_one_only_ = true;
        }
    }

    struct outer {
        std::size_t id, loops;
    };

    const ir::module& module_;
    const divergence& divergence_;
    std::vector<bool> counts_up_;
    std::unordered_map<std::size_t, range> ranges_;  ///< by value, then variable
    std::vector<outer> outer_;                       ///< what the loops around use from outside
    std::vector<std::size_t> loop_ends_;
    std::vector<std::int32_t> changes_;
    std::size_t position_ = 0;
    std::uint32_t code_ = 0, extra_ = 0;
    bool suits_one_only_ = false;
};

}  // namespace

std::uint32_t vectors_in_flight(const ir::module& m, std::uint32_t lanes, std::uint32_t registers, std::uint32_t wanted) {
    if (shows_subgroups(m)) return 1;
    if (wanted != 0) return wanted;
    const estimate e(m, analyse_divergence(m, lanes, 1));
    if (e.suits_one_only()) return 1;
    const std::uint32_t vectors = m.workgroup_size[0] * m.workgroup_size[1] * m.workgroup_size[2] / lanes;
    const auto suits = [&](std::uint32_t n) {
        const bool whole = form_of(m) == launch_form::range || vectors % n == 0;
        return whole && n * e.pressure() <= registers && n * e.code() <= largest_code;
    };
    return suits(4) ? 4 : suits(2) ? 2 : 1;
}

}  // namespace quern::cpu::codegen
