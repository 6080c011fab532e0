// The IR's types in CUDA C++: spelling, literals, and definitions of structs with the host's layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::cuda {

std::string_view spelled(ir::scalar_kind k);
/// A constant of a kind from its bits; negative ones stand in parentheses.
std::string literal(ir::scalar_kind k, std::uint64_t bits);

class types {
public:
    /// Throws compile_error for a layout that C++ has no struct for.
    explicit types(const ir::module& m);

    std::string name(ir::type_id t) const;
    const std::string& member(ir::type_id structure, std::uint32_t number) const {
        return members_[structure.number][number];
    }
    /// The structs that the kernel's types need, inner ones first.
    const std::string& definitions() const { return definitions_; }

private:
    void define(ir::type_id t);

    const ir::module& module_;
    std::vector<std::string> structs_;  ///< by type; empty for others
    std::vector<std::vector<std::string>> members_;
    std::string definitions_;
};

}  // namespace quern::cuda
