#include "backends/cuda/codegen/names.hpp"

#include <fmt/format.h>

#include "backends/cuda/codegen/prelude.hpp"

namespace quern::cuda {

std::string as_identifier(std::string_view text) {
    std::string name(text);
    for (char& c : name)
        if (!ir::is_identifier(std::string("_") + c)) c = '_';
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "_");
    while (name.starts_with("__")) name.erase(0, 1);
    return is_reserved(name) ? name + "_" : name;
}

std::string names::fresh(std::string_view wish) {
    const std::string base = as_identifier(wish);
    std::string name = base;
    for (unsigned n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
    return name;
}

names::names(const ir::module& m)
    : entry_(as_identifier(m.name.empty() ? "kernel" : m.name)), parameters_(m.parameters.size()), sizes_(m.parameters.size()),
      variables_(m.variables.size()), values_(m.values.size()) {
    const ir::naming user(m);
    taken_.insert(entry_);
    for (std::uint32_t i = 0; i < m.parameters.size(); ++i) parameters_[i] = fresh(user.of_parameter(i));
    for (std::uint32_t i = 0; i < m.parameters.size(); ++i)
        if (m.parameters[i].kind == ir::parameter_kind::buffer) sizes_[i] = fresh(parameters_[i] + "_size");
    for (std::uint32_t i = 0; i < m.variables.size(); ++i)
        if (!user.of_variable(i).empty()) variables_[i] = fresh(user.of_variable(i));
    for (std::uint32_t i = 0; i < m.values.size(); ++i)
        if (!user.of_value({i}).empty()) values_[i] = fresh(user.of_value({i}));
}

}  // namespace quern::cuda
