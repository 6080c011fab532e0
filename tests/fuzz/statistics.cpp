#include "tests/fuzz/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "dsl/ir/canonical.hpp"

namespace quern::fuzz {

namespace {

/// Walks the blocks that are reachable from the body.
struct walk {
    const ir::module& m;
    std::size_t statements = 0, deepest = 0, barriers = 0;
    std::set<cell> cells;

    void block(ir::block_id b, std::size_t depth) {
        if (b.is_none()) return;
        deepest = std::max(deepest, depth);
        for (const ir::statement& s : m[b].statements) {
            ++statements;
            std::visit([&](const auto& x) { statement(x, depth); }, s);
        }
    }

    void value(ir::value_id v) {
        if (const auto c = cell_of(m, v)) cells.insert(*c);
    }
    void statement(const ir::define& d, std::size_t) {
        value(d.value);
        const ir::op_info& facts = ir::info(m[d.value].op);
        if (facts.arity == 0 && facts.effect == ir::effect::pure) --statements;
    }
    void statement(const ir::if_statement& s, std::size_t depth) {
        block(s.then_block, depth + 1);
        block(s.else_block, depth + 1);
    }
    void statement(const ir::for_statement& s, std::size_t depth) {
        value(s.induction);
        block(s.body, depth + 1);
    }
    void statement(const ir::while_statement& s, std::size_t depth) {
        block(s.head, depth + 1);
        block(s.body, depth + 1);
    }
    void statement(const ir::switch_statement& s, std::size_t depth) {
        for (const ir::switch_case& c : m.cases_of(s)) block(c.body, depth + 1);
        block(s.default_block, depth + 1);
    }
    void statement(const ir::barrier&, std::size_t) { ++barriers; }
    void statement(const ir::declare&, std::size_t) {}
    void statement(const ir::store&, std::size_t) {}
    void statement(const ir::break_statement&, std::size_t) {}
    void statement(const ir::continue_statement&, std::size_t) {}
    void statement(const ir::return_statement&, std::size_t) {}
    void statement(const ir::fence&, std::size_t) {}
    void statement(const ir::assume&, std::size_t) {}
};

double percent(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void statistics::count(const trial& t) {
    const ir::module m = ir::canonicalise(t.kernel);
    walk w{m, 0, 0, 0, {}};
    w.block(m.body, 0);
    ++kernels_;
    statements_ += w.statements;
    ++by_depth_[w.deepest];
    cells_.merge(w.cells);
    const bool shared = std::ranges::any_of(m.variables, [](const ir::variable& v) { return v.storage == ir::storage::shared; });
    if (w.barriers > 0 && shared) ++with_barriers_;
    if (t.extent[1] * t.groups[1] > 1) ++two_dimensional_;
    if (m.cooperative && t.groups[0] * t.groups[1] * t.groups[2] > 1) ++several_groups_;
    if ((m.cooperative ? m.workgroup_size[0] * m.workgroup_size[1] : t.extent[0]) % 4 != 0) ++ragged_;
}

void statistics::merge(const statistics& other) {
    kernels_ += other.kernels_;
    statements_ += other.statements_;
    with_barriers_ += other.with_barriers_;
    two_dimensional_ += other.two_dimensional_;
    several_groups_ += other.several_groups_;
    ragged_ += other.ragged_;
    for (const auto& [depth, number] : other.by_depth_) by_depth_[depth] += number;
    cells_.insert(other.cells_.begin(), other.cells_.end());
}

double statistics::mean_statements() const {
    return kernels_ == 0 ? 0 : static_cast<double>(statements_) / static_cast<double>(kernels_);
}

double statistics::percent_with_barriers() const { return percent(with_barriers_, kernels_); }

double statistics::percent_nested(std::size_t depth) const {
    std::size_t number = 0;
    for (auto at = by_depth_.lower_bound(depth); at != by_depth_.end(); ++at) number += at->second;
    return percent(number, kernels_);
}

std::vector<cell> statistics::missed(std::span<const ir::scalar_kind> kinds) const {
    std::vector<cell> result;
    for (const cell& c : enumerate_cells(kinds))
        if (!cells_.contains(c)) result.push_back(c);
    return result;
}

std::string statistics::report(std::span<const ir::scalar_kind> kinds) const {
    const std::size_t all = enumerate_cells(kinds).size();
    const std::vector<cell> absent = missed(kinds);
    std::string text = fmt::format(
        "{} kernels, {:.1f} statements in the mean (definitions of constants and positions not counted)\n"
        "barriers and shared memory {:.1f} %, two or three dimensions {:.1f} %, cooperative with several workgroups {:.1f} %, "
        "row no multiple of 4 {:.1f} %\ndeepest nesting:",
        kernels_, mean_statements(), percent_with_barriers(), percent(two_dimensional_, kernels_),
        percent(several_groups_, kernels_), percent(ragged_, kernels_));
    for (const auto& [depth, number] : by_depth_) text += fmt::format(" {}: {:.1f} %", depth, percent(number, kernels_));
    text += fmt::format("; 4 and more: {:.1f} %\n{} of {} op x type cells hit\n", percent_nested(4), all - absent.size(), all);
    for (const cell& c : absent) text += fmt::format("  missed: {}\n", to_string(c));
    return text;
}

std::string statistics::serialise(const std::vector<cell>& cells) const {
    std::string line = fmt::format("{} {} {} {} {} {} {}", kernels_, statements_, with_barriers_, two_dimensional_,
                                   several_groups_, ragged_, by_depth_.size());
    for (const auto& [depth, number] : by_depth_) line += fmt::format(" {} {}", depth, number);
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells_.contains(cells[i])) line += fmt::format(" {}", i);
    return line;
}

statistics statistics::parse(const std::string& line, const std::vector<cell>& cells) {
    statistics s;
    std::istringstream words(line);
    std::size_t depths = 0;
    words >> s.kernels_ >> s.statements_ >> s.with_barriers_ >> s.two_dimensional_ >> s.several_groups_ >> s.ragged_ >> depths;
    for (std::size_t depth = 0, number = 0; depths-- > 0 && words >> depth >> number;) s.by_depth_[depth] = number;
    for (std::size_t i = 0; words >> i;) s.cells_.insert(cells.at(i));
    return s;
}

}  // namespace quern::fuzz
