#include "jit/runtime/device_state.hpp"

#include <quern/device.hpp>
#include <quern/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "dsl/trace/trace_kernel.hpp"
#include "jit/runtime/queue_state.hpp"

namespace quern::quern_detail {

namespace {

std::uint64_t next_device_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

device_state::device_state(backends::backend& b, std::string id, std::shared_ptr<backends::device> d,
                           const jit::settings& s, std::shared_ptr<jit::kernel_cache> cache)
    : backend_(b), id_(std::move(id)), settings_(s), cache_(std::move(cache)), device_(std::move(d)), number_(next_device_number()) {
    own_queue_ = new queue_state(*this, {});
}

device_state::~device_state() { own_queue_->release(); }

backends::compile_options device_state::compile_options() const {
    return settings_.compile_options();
}

std::uint64_t device_state::list_queue(std::shared_ptr<backends::queue> q) {
    const std::scoped_lock lock(queues_mutex_);
    const std::uint64_t bit = 1ULL << (opened_queues_++ % 64);
    queues_.push_back({std::move(q), bit});
    return bit;
}

void device_state::forget_queue(const backends::queue* q) {
    std::shared_ptr<backends::queue> last;  // destroyed outside the lock
    const std::scoped_lock lock(queues_mutex_);
    const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const auto& l) { return l.queue.get() == q; });
    last = std::move(found->queue);
    queues_.erase(found);
}

void device_state::wait_for(std::uint64_t bits) {
    std::vector<std::shared_ptr<backends::queue>> waited_for;
    {
        const std::scoped_lock lock(queues_mutex_);
        for (const listed_queue& l : queues_)
            if ((l.bit & bits) != 0) waited_for.push_back(l.queue);
    }
    std::exception_ptr first;
    for (const auto& q : waited_for) {
        try {
            q->synchronize();
        } catch (...) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

void retain(device_state* s) noexcept { s->retain(); }
void release(device_state* s) noexcept { s->release(); }

void forbid_in_trace(const char* call) {
    if (trace::in_progress())
        throw usage_error(fmt::format("{} inside a kernel's body: the body is being traced, it does not run on the "
                                      "device yet; call {} outside", call, call));
}

template <class State>
State& require(State* s, const char* what) {
    if (s == nullptr) throw usage_error(fmt::format("empty {} handle: it was default-constructed or moved from", what));
    return *s;
}
template device_state& require(device_state*, const char*);
template buffer_state& require(buffer_state*, const char*);
template queue_state& require(queue_state*, const char*);
template event_state& require(event_state*, const char*);
template kernel_state& require(kernel_state*, const char*);
template runtime_state& require(runtime_state*, const char*);

}  // namespace quern::quern_detail

namespace quern {

const std::string& device::id() const { return quern_detail::require(state_.get(), "device").id(); }

const target_info& device::info() const { return quern_detail::require(state_.get(), "device").target().info; }

void device::synchronize() const {
    quern_detail::forbid_in_trace("synchronize");
    quern_detail::require(state_.get(), "device").wait_for(~0ULL);
}

queue device::make_queue() const {
    quern_detail::device_state& d = quern_detail::require(state_.get(), "device");
    return queue(quern_detail::handle(new quern_detail::queue_state(d, state_)));
}

void* device::native_handle() const { return quern_detail::require(state_.get(), "device").device().native_handle(); }

}  // namespace quern
