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

/// How a name comes to be declared: `val name = …` (also with braces or parentheses), or as a lambda's parameter.
enum class declared_as : std::uint8_t { statement, lambda_parameter };

struct declared_name {
    std::string_view name;
    declared_as how = declared_as::statement;
    std::string_view initialiser;  ///< the line from behind the `=` on, without leading spaces
};

/// What a line declares with val, var, place, auto, shared or local_array, in order.
std::vector<declared_name> declared_names(std::string_view line);

/// Names of the parameters of the kernel `name` whose making begins or ends at this line (compilers differ); empty
/// unless exactly `count` are found.
std::vector<std::string> parameter_names(const source_lines& source, std::string_view file, std::uint32_t line,
                                         std::string_view name, std::size_t count);

}  // namespace quern::trace
