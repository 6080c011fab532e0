// What the tests of the CUDA backend need of this machine, and skip without.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/device.hpp>

#include "backends/backend.hpp"

namespace quern::tests {

/// True if NVRTC is here; else the running test is skipped.
bool has_nvrtc();
/// The first CUDA device; nothing, and the running test skipped, without one.
std::optional<device> cuda_device();

/// Compiles a kernel in its printed form for "sm_90" and the like.
backends::artifact compile_for(const std::string& qir, std::string_view target);
/// Its generated source.
std::string cuda_source(const std::string& qir, int compute_capability = 90);

/// What a cubin's ELF says of itself.
struct cubin_facts {
    unsigned machine = 0;       ///< 190: EM_CUDA
    std::string entry;
    unsigned registers = 0;     ///< of a thread
    std::size_t shared_bytes = 0;
    std::size_t code_bytes = 0;
};
cubin_facts read_cubin(const backends::artifact& code);

}  // namespace quern::tests
