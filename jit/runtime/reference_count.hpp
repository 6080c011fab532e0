// The intrusive count behind quern_detail::handle.
#pragma once

#include <atomic>
#include <cstdint>

namespace quern::jit {

/// Base of a runtime object; starts with the one reference that its creator hands out.
template <class State>
class reference_counted {
public:
    reference_counted() = default;
    reference_counted(const reference_counted&) = delete;
    reference_counted& operator=(const reference_counted&) = delete;

    void retain() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<State*>(this);
    }

private:
    std::atomic<std::uint32_t> count_{1};
};

}  // namespace quern::jit
