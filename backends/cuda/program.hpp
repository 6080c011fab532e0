// A loaded kernel and how one dispatch of it becomes launches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/backend.hpp"
#include "backends/cuda/context.hpp"
#include "backends/cuda/kernel_facts.hpp"

namespace quern::cuda {

class program final : public backends::program {
public:
    /// Throws compile_error for code that the driver refuses, device_error for what the device lacks.
    program(std::shared_ptr<context> c, const backends::artifact& code, const ir::module& m);
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() override;

    /// Launches on the stream; more than once where a grid cannot hold all workgroups. Allocates nothing.
    void launch(const backends::dispatch& d, stream_handle s) const;
    /// Lives as long as the process.
    const std::string* kernel_name() const { return kernel_name_; }

private:
    const std::shared_ptr<context> context_;
    const kernel_facts facts_;
    const std::string* kernel_name_;
    module_handle module_ = nullptr;
    function_handle function_ = nullptr;
};

/// The shape of a block for a kernel that leaves it open: whole warps along x, then what the extents have room for.
std::array<std::uint32_t, 3> choose_block(const kernel_facts& f, const std::array<std::uint64_t, 3>& extent);

}  // namespace quern::cuda
