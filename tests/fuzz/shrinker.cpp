#include "tests/fuzz/shrinker.hpp"

#include <algorithm>

#include "dsl/ir/canonical.hpp"
#include "tests/fuzz/cell.hpp"
#include "tests/fuzz/kernel_edits.hpp"
#include "tests/fuzz/random_stream.hpp"

namespace quern::fuzz {

namespace {

class search {
public:
    search(trial t, const still_fails& fails, std::size_t attempts)
        : best_(std::move(t)), fails_(fails), attempts_(attempts) {}

    trial run() {
        for (bool progress = true; progress && attempts_ > 0;) {
            progress = false;
            progress |= shrink_launch();
            progress |= remove_chunks();
            progress |= unwrap_statements();
            progress |= simplify_values();
            progress |= drop_parameters();
        }
        return std::move(best_);
    }

private:
    bool accept(trial candidate) {
        if (attempts_ == 0) return false;
        --attempts_;
        remove_dead(candidate.kernel);
        if (!fails_(candidate)) return false;
        best_ = std::move(candidate);
        return true;
    }

    bool shrink_launch() {
        bool progress = false;
        for (std::size_t d = 0; d < 3; ++d) {
            const bool whole_groups = best_.kernel.cooperative || best_.kernel.launch != ir::launch_kind::over;
            const auto size = [&]() -> std::uint64_t& { return whole_groups ? best_.groups[d] : best_.extent[d]; };
            for (const std::uint64_t wanted : {std::uint64_t{1}, size() / 2, size() - 1}) {
                if (wanted == 0 || wanted >= size()) continue;
                trial t = best_;
                const std::uint32_t group = t.kernel.workgroup_size[d];
                if (whole_groups) {
                    t.groups[d] = wanted;
                    t.extent[d] = wanted * (t.kernel.launch == ir::launch_kind::tiles && d < 2 ? t.kernel.covers[d] : group);
                } else {
                    t.extent[d] = wanted;
                    if (group > 0) t.groups[d] = (wanted + group - 1) / group;
                }
                progress |= accept(std::move(t));
            }
        }
        return progress;
    }

    bool remove_chunks() {
        bool progress = false;
        for (std::size_t n = 0; n < blocks(); ++n) {
            for (std::size_t size = statements(n); size > 0; size /= 2)
                for (std::size_t first = 0; n < blocks() && first < statements(n);) {
                    trial t = best_;
                    // What is lost becomes zero, which is a statement too: no progress unless there are fewer.
                    const bool removes = remove_statements(t.kernel, block(n), first, size);
                    remove_dead(t.kernel);
                    if (removes && count(t.kernel) < count(best_.kernel) && accept(std::move(t))) progress = true;
                    else first += size;
                }
            if (attempts_ == 0) break;
        }
        return progress;
    }

    bool unwrap_statements() {
        bool progress = false;
        for (std::size_t n = 0; n < blocks(); ++n)
            for (std::size_t at = 0; n < blocks() && at < statements(n); ++at)
                for (std::size_t way = ways_to_unwrap(best_.kernel, block(n), at); way-- > 0;) {
                    trial t = best_;
                    unwrap(t.kernel, block(n), at, way);
                    if (!accept(std::move(t))) continue;
                    progress = true;
                    break;
                }
        return progress;
    }

    bool simplify_values() {
        bool progress = false;
        for (std::size_t n = 0; n < blocks(); ++n)
            for (std::size_t at = 0; n < blocks() && at < statements(n); ++at) progress |= simplify_value(n, at);
        return progress;
    }

    bool simplify_value(std::size_t n, std::size_t at) {
        const auto* d = std::get_if<ir::define>(&best_.kernel[block(n)].statements[at]);
        if (d == nullptr || best_.kernel[d->value].op == ir::op::constant) return false;
        const ir::value_id v = d->value;
        const shape s = shape_of(best_.kernel, v);
        if (examine(best_.kernel).frozen[v.number] || s.kind == ir::scalar_kind::none) return false;
        const auto operands = best_.kernel.operands_of(v);
        for (const ir::value_id operand : std::vector(operands.begin(), operands.end())) {
            const ir::op code = best_.kernel[operand].op;
            if (best_.kernel[operand].type != best_.kernel[v].type || ir::info(code).effect == ir::effect::convergent) continue;
            trial t = best_;
            replace_uses(t.kernel, v, operand);
            if (accept(std::move(t))) return true;
        }
        const bool plain = best_.kernel[v].op == ir::op::construct &&
                           std::ranges::all_of(operands, [&](ir::value_id o) { return best_.kernel[o].op == ir::op::constant; });
        if (plain) return false;
        for (const std::uint64_t bits : {std::uint64_t{0}, one_bits(s.kind)}) {
            trial t = best_;
            if (make_constant(t.kernel, block(n), at, bits) && accept(std::move(t))) return true;
        }
        return false;
    }

    /// Parameters that nothing names go; the others keep their order.
    bool drop_parameters() {
        bool progress = false;
        for (std::size_t n = best_.kernel.parameters.size(); n-- > 0;) {
            trial t = best_;
            t.kernel = ir::canonicalise(t.kernel);  // without places that nothing uses and that name parameters
            if (drop(t, static_cast<std::uint32_t>(n))) progress |= accept(std::move(t));
        }
        return progress;
    }

    static bool drop(trial& t, std::uint32_t number) {
        ir::module& m = t.kernel;
        if (m.parameters.size() == 1) return false;
        const kernel_facts facts = examine(m);
        const auto names = [&](std::uint32_t n) { return n == number; };
        std::vector<bool> live_place(m.places.size());
        for (const ir::block_id b : facts.blocks)
            for (const ir::statement& s : m[b].statements) {
                const auto* stored = std::get_if<ir::store>(&s);
                const auto* d = std::get_if<ir::define>(&s);
                if (stored != nullptr) live_place[stored->place.number] = true;
                if (d == nullptr) continue;
                const ir::value& v = m[d->value];
                const ir::effect e = ir::info(v.op).effect;
                if (e == ir::effect::load || e == ir::effect::atomic) live_place[v.immediate] = true;
                if ((v.op == ir::op::parameter || v.op == ir::op::buffer_size) && names(static_cast<std::uint32_t>(v.immediate)))
                    return false;
            }
        for (std::size_t p = 0; p < m.places.size(); ++p)
            if (live_place[p] && m.places[p].root == ir::root_kind::parameter && names(m.places[p].number)) return false;
        for (std::size_t p = 0; p < t.memory_of.size(); ++p)
            if (p != number && names(t.memory_of[p])) return false;

        m.parameters.erase(m.parameters.begin() + number);
        t.counts.erase(t.counts.begin() + number);
        t.memory_of.erase(t.memory_of.begin() + number);
        t.salts.erase(t.salts.begin() + number);
        if (number < m.parameter_names.size()) m.parameter_names.erase(m.parameter_names.begin() + number);
        for (std::uint32_t& owner : t.memory_of) owner -= owner > number ? 1 : 0;
        for (ir::place& p : m.places) p.number -= p.root == ir::root_kind::parameter && p.number > number ? 1 : 0;
        for (ir::value& v : m.values)
            if (v.op == ir::op::parameter || v.op == ir::op::buffer_size) v.immediate -= v.immediate > number ? 1 : 0;
        return true;
    }

    static std::size_t count(const ir::module& m) {
        std::size_t all = 0;
        for (const ir::block_id b : examine(m).blocks) all += m[b].statements.size();
        return all;
    }

    std::size_t blocks() const { return examine(best_.kernel).blocks.size(); }
    ir::block_id block(std::size_t n) const { return examine(best_.kernel).blocks[n]; }
    std::size_t statements(std::size_t n) const { return best_.kernel[block(n)].statements.size(); }

    trial best_;
    const still_fails& fails_;
    std::size_t attempts_;
};

}  // namespace

trial shrink(trial t, const still_fails& fails, std::size_t attempts) {
    return search(std::move(t), fails, attempts).run();
}

}  // namespace quern::fuzz
