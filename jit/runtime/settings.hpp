// What a runtime was told: its options with the environment on top. Devices keep a copy.
#pragma once

#include <quern/runtime.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"

namespace quern::jit {

struct settings {
    runtime_options options;
    std::optional<std::vector<std::string>> devices;  ///< QUERN_DEVICE
    std::string dump_dir;                             ///< QUERN_DUMP
    std::uint32_t lanes = 0;                          ///< QUERN_CPU_LANES; 0: the host's own
    std::uint32_t vectors = 0;                        ///< QUERN_CPU_VECTORS; 0: what suits each kernel
    bool debug = false;                               ///< QUERN_DEBUG

    backends::compile_options compile_options() const { return {.lanes = lanes, .vectors = vectors, .debug = debug}; }
};

/// The options, overridden by the environment if they allow it. Throws usage_error for values that are not understood.
settings make_settings(const runtime_options& options);

/// To the sink; without one, warnings and errors go to the standard error stream, and more of them with QUERN_LOG.
void log(const settings& s, log_level level, const std::string& message);

}  // namespace quern::jit
