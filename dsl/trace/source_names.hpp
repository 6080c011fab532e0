// Names of traced values, read from the user's source: C++ does not reveal them. Only for people; never hashed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quern::trace {

/// Lines of the user's source files, handed in by who may read files.
class source_lines {
public:
    virtual ~source_lines() = default;
    /// Line `line` (from 1) without its end, or nothing where the file is not readable.
    virtual std::string_view line(std::string_view file, std::uint32_t line) const = 0;
};

/// Names that a line declares with val, var, place, auto, shared or local_array, in order: {"i", "acc"}.
std::vector<std::string_view> declared_names(std::string_view line);

/// Names of a lambda's parameters whose list begins at or after this line; empty unless exactly `count` are found.
std::vector<std::string> parameter_names(const source_lines& source, std::string_view file, std::uint32_t line,
                                         std::size_t count);

}  // namespace quern::trace
