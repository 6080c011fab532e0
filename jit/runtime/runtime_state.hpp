// A runtime: settings, backends and the devices that were opened so far.
#pragma once

#include <quern/runtime.hpp>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "jit/runtime/reference_count.hpp"
#include "jit/runtime/settings.hpp"

namespace quern::quern_detail {

class runtime_state : public jit::reference_counted<runtime_state> {
public:
    runtime_state(jit::settings s, std::span<backends::backend* const> backends);
    ~runtime_state();

    /// The runtime behind the static functions of device, set up from the environment at first use.
    static runtime_state& standard();

    const jit::settings& settings() const { return settings_; }

    std::vector<device> devices();
    /// A device that is not listed: someone else's.
    device adopt(backends::backend& b, std::string id, std::unique_ptr<backends::device> d);
    /// Opens the first of devices() only.
    device best();
    device find(std::string_view id);
    device cpu(const cpu_options& options);
    std::vector<missing_backend> missing();
    /// Waits for the open devices' work and lets go of them; they are opened anew when asked for again.
    void close();

private:
    struct entry {
        backends::backend* backend;
        backends::device_description description;
    };
    struct open_device {
        std::string key;  ///< the id, and the thread count if one was asked for
        handle<device_state> state;
    };

    /// Lists what is there once. Backends that QUERN_DEVICE excludes are asked only when find() names them.
    void enumerate(backends::backend& b);
    bool is_wanted(std::string_view backend_name) const;
    const entry* lookup(std::string_view id) const;
    /// The listed devices that the settings allow; usage_error for a setting that names an absent one.
    std::vector<const entry*> allowed();
    device open(const entry& e, const backends::open_options& options, const std::string& key);
    std::string present() const;

    jit::settings settings_;
    std::shared_ptr<jit::kernel_cache> cache_;
    std::span<backends::backend* const> backends_;
    std::mutex mutex_;
    std::vector<backends::backend*> enumerated_;
    std::vector<std::unique_ptr<entry>> entries_;
    std::vector<missing_backend> missing_;
    std::vector<open_device> open_;
};

}  // namespace quern::quern_detail
