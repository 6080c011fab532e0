// A runtime of the program's own: devices under settings that no environment variable changes.
#pragma once

#include <quern/device.hpp>

namespace quern {

/// Whether compiled kernels are kept on disk.
enum class cache_mode : std::uint8_t { read_write, read_only, off };
/// Whether first launches measure candidates, use stored results only, or take the defaults.
enum class tune_mode : std::uint8_t { on, cached, off };
enum class log_level : std::uint8_t { debug, information, warning, error };

/// Where messages go. Called from any thread, one message at a time; must not call Quern.
struct log_sink {
    void (*write)(void* context, log_level level, const char* message) = nullptr;
    void* context = nullptr;
};

struct runtime_options {
    std::string cache_dir = {};                  ///< empty: "quern" in the user's cache folder
    std::string shared_cache_dir = {};           ///< a second folder that is only read; empty: none
    cache_mode cache = cache_mode::read_write;
    tune_mode tune = tune_mode::on;
    bool read_environment = true;                ///< let QUERN_… variables override the options
    log_sink log = {};
};

/// A backend without devices here, and why.
struct missing_backend {
    std::string name;
    std::string reason;
};

/// Devices of different runtimes are different devices. They stay usable when the runtime is gone.
class runtime {
public:
    /// usage_error for a QUERN_… variable with a value that is not understood, if they are read.
    explicit runtime(const runtime_options& options = {});

    /// Every usable device, best first.
    std::vector<device> devices() const;
    /// As device::find.
    device find(std::string_view id) const;
    /// As device::cpu.
    device cpu(cpu_options options = {}) const;
    /// The backends that offer no device, with the reason.
    std::vector<missing_backend> missing() const;

private:
    quern_detail::handle<quern_detail::runtime_state> state_;
};

}  // namespace quern
