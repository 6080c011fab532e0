// Counts what generated kernels look like: size, nesting, cooperation, and which op × type cells they hit.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/fuzz/cell.hpp"
#include "tests/fuzz/trial.hpp"

namespace quern::fuzz {

class statistics {
public:
    /// Counts the canonical form of a trial's kernel, so that what is dead does not count.
    void count(const trial& t);
    /// Adds what another run counted.
    void merge(const statistics& other);

    std::size_t kernels() const { return kernels_; }
    /// Statements but for the definitions of constants and positions, per kernel.
    double mean_statements() const;
    /// Percent of the kernels that have barriers and shared memory.
    double percent_with_barriers() const;
    /// Percent of the kernels that nest blocks at least this deep; the body is depth 0.
    double percent_nested(std::size_t depth) const;
    std::vector<cell> missed(std::span<const ir::scalar_kind> kinds) const;
    /// All of it for people, a few lines.
    std::string report(std::span<const ir::scalar_kind> kinds) const;

    /// One line that parse_statistics reads back.
    std::string serialise(const std::vector<cell>& cells) const;
    static statistics parse(const std::string& line, const std::vector<cell>& cells);

private:
    std::size_t kernels_ = 0, statements_ = 0, with_barriers_ = 0, two_dimensional_ = 0, several_groups_ = 0, ragged_ = 0;
    std::map<std::size_t, std::size_t> by_depth_;
    std::set<cell> cells_;
};

}  // namespace quern::fuzz
