// From a validated module to the text of one CUDA C++ kernel. A statement becomes a statement, a value a constant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/codegen/names.hpp"
#include "backends/cuda/codegen/rules.hpp"
#include "backends/cuda/codegen/types.hpp"
#include "backends/cuda/kernel_facts.hpp"
#include "dsl/ir/module.hpp"

namespace quern::cuda {

/// The complete source: no includes, one extern "C" entry. Throws compile_error for what CUDA cannot express.
std::string write_kernel(const ir::module& m, int compute_capability);

class writer {
public:
    writer(const ir::module& m, int compute_capability);
    std::string run();

private:
    // write_kernel.cpp
    void write_signature();
    void write_shared_variables();
    void write_positions();
    std::string position_along(std::uint32_t dimension) const;

    // write_control.cpp
    void write_block(ir::block_id b);
    void write_statement(const ir::statement& s);
    void write_for(const ir::for_statement& s);
    void write_switch(const ir::switch_statement& s);

    // write_values.cpp
    void define(ir::value_id v);
    void define_structure(ir::value_id v);
    std::string expression(ir::value_id v) const;
    std::string position(ir::value_id v) const;
    std::string elementwise(ir::value_id v) const;
    std::string element(ir::op code, ir::scalar_kind k, std::span<const std::string> operands) const;
    std::string combined_with_constant(ir::value_id v) const;
    std::string over_warp(ir::value_id v) const;
    std::string extracted(ir::value_id v) const;
    std::string replaced(ir::value_id v) const;
    std::string chosen(ir::value_id v) const;
    std::string use(ir::value_id v) const;
    bool is_size_wide(std::uint32_t parameter) const;
    std::string component(ir::value_id v, std::uint32_t c) const;
    /// `each(c)` of every component, in braces where there are several.
    template <class F>
    std::string by_component(ir::value_id v, F each) const;

    // write_memory.cpp
    struct place_text {
        std::string text;
        std::uint32_t alignment = 1;  ///< that its address is known to have
    };
    place_text place(ir::place_id p) const;
    std::string load(ir::place_id p) const;
    std::string store(ir::place_id p, const std::string& value) const;

    const ir::type& type_of(ir::value_id v) const { return module_.type_of(v); }
    ir::value_id operand(ir::value_id v, std::size_t i) const { return module_.operands_of(v)[i]; }
    /// Mask of the threads that this warp has.
    std::string_view warp_mask() const { return facts_.threads % 32 == 0 ? "~0u" : "subgroup_threads"; }

    void line(std::string_view text);
    void mark(ir::location_id at);

    const ir::module& module_;
    const int compute_capability_;
    const kernel_facts facts_;
    names names_;
    const types types_;
    const std::vector<bool> unchanging_;  ///< by parameter
    bool is_restricted_ = true;           ///< no two parameters overlap
    std::string out_;
    std::size_t depth_ = 0;
    ir::file_id file_;           ///< of the line that the compiler counts
    std::uint32_t next_line_ = 0;
};

std::string cast(ir::scalar_kind to, ir::scalar_kind from, const std::string& value);

}  // namespace quern::cuda
