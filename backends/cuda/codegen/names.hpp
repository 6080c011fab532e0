// What parameters, variables, values and the entry are called in generated code: the user's names where they are known.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dsl/ir/naming.hpp"

namespace quern::cuda {

class names {
public:
    explicit names(const ir::module& m);

    const std::string& entry() const { return entry_; }
    const std::string& of_parameter(std::uint32_t number) const { return parameters_[number]; }
    const std::string& of_size(std::uint32_t parameter) const { return sizes_[parameter]; }
    const std::string& of_variable(std::uint32_t number) const { return variables_[number]; }
    const std::string& of_value(ir::value_id v) const { return values_[v.number]; }
    /// A name that nothing else has, from now on.
    std::string fresh(std::string_view wish);

private:
    std::string entry_;
    std::vector<std::string> parameters_, sizes_, variables_, values_;
    std::unordered_set<std::string> taken_;
};

/// The same text as a C++ identifier that nothing of CUDA or of ours has.
std::string as_identifier(std::string_view text);

}  // namespace quern::cuda
