// An open device as the public handles share it: the backend's device, its own queue, and the list of live queues.
#pragma once

#include <quern/detail/handle.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "jit/runtime/reference_count.hpp"
#include "jit/runtime/settings.hpp"

namespace quern::quern_detail {

class device_state : public jit::reference_counted<device_state> {
public:
    device_state(backends::backend& b, std::string id, std::shared_ptr<backends::device> d, const jit::settings& s,
                 std::shared_ptr<jit::kernel_cache> cache);
    ~device_state();

    backends::backend& backend() const { return backend_; }
    backends::device& device() const { return *device_; }
    /// For programs, which outlive this object in their kernels.
    const std::shared_ptr<backends::device>& shared_device() const { return device_; }
    /// No other device of this process ever has it, unlike an address.
    std::uint64_t number() const { return number_; }
    const backends::target& target() const { return device_->target(); }
    const std::string& id() const { return id_; }
    const jit::settings& settings() const { return settings_; }
    /// Of all devices of one runtime.
    jit::kernel_cache& cache() const { return *cache_; }
    backends::compile_options compile_options() const;
    queue_state& own_queue() const { return *own_queue_; }

    /// Lists a queue under a bit, which it returns. Bits are shared when there are more than 64 queues.
    std::uint64_t list_queue(std::shared_ptr<backends::queue> q);
    void forget_queue(const backends::queue* q);
    /// Waits for what the queues of these bits were given; throws the first asynchronous error after all waits.
    void wait_for(std::uint64_t bits);

private:
    struct listed_queue {
        std::shared_ptr<backends::queue> queue;
        std::uint64_t bit;
    };

    backends::backend& backend_;
    std::string id_;
    jit::settings settings_;
    std::shared_ptr<jit::kernel_cache> cache_;
    std::shared_ptr<backends::device> device_;
    std::uint64_t number_;
    std::mutex queues_mutex_;
    std::vector<listed_queue> queues_;
    std::uint32_t opened_queues_ = 0;
    queue_state* own_queue_ = nullptr;
};

/// usage_error inside a trace: "launch", "upload" … from a kernel's body would run while it is traced.
void forbid_in_trace(const char* call);
/// The object behind a handle; usage_error for an empty handle.
template <class State>
State& require(State* s, const char* what);
extern template device_state& require(device_state*, const char*);
extern template buffer_state& require(buffer_state*, const char*);
extern template queue_state& require(queue_state*, const char*);
extern template event_state& require(event_state*, const char*);
extern template kernel_state& require(kernel_state*, const char*);
extern template runtime_state& require(runtime_state*, const char*);

}  // namespace quern::quern_detail
