// The names that the printed form gives to values, variables and parameters: the user's, made unique, else "v17".
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::ir {

class naming {
public:
    /// Names everything that is printed, in the order in which it is printed.
    explicit naming(const module& m);

    const std::string& of_value(value_id v) const { return values_[v.number]; }
    const std::string& of_variable(std::uint32_t number) const { return variables_[number]; }
    const std::string& of_parameter(std::uint32_t number) const { return parameters_[number]; }

private:
    void name_block(const module& m, block_id b);
    void name_value(const module& m, value_id v);
    std::string unique(const std::vector<std::string>& wanted, std::uint32_t number, char fallback);

    std::vector<std::string> values_, variables_, parameters_;
    std::unordered_map<std::string, std::uint32_t> taken_;  ///< name: next suffix to try
    std::unordered_map<char, std::uint32_t> unnamed_;       ///< fallback letter: next number to try
};

/// Constants and value parameters are written where they are used and have no line of their own.
constexpr bool is_printed_inline(op code) { return code == op::constant || code == op::parameter; }

/// Letters, digits and underscores, not beginning with a digit.
bool is_identifier(std::string_view text);

}  // namespace quern::ir
