// The reference device: plain host memory, programs that are decoded modules, a queue that works on the caller's thread.
#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "backends/reference/decoded_kernel.hpp"

namespace quern::reference {

/// What kernels see of the device; `lanes` of the options is its subgroup size, 8 unless said.
backends::target make_target(const backends::open_options& options);

std::unique_ptr<backends::device> make_device(const backends::open_options& options);

/// A kernel that is ready to run.
class program final : public backends::program {
public:
    program(ir::module m, std::uint32_t lanes) : module_(std::move(m)), kernel_(module_), lanes_(lanes) {}

    const decoded_kernel& kernel() const { return kernel_; }
    std::uint32_t lanes() const { return lanes_; }

private:
    const ir::module module_;
    const decoded_kernel kernel_;
    const std::uint32_t lanes_;
};

}  // namespace quern::reference
