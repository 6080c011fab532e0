#include "backends/cuda/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include <quern/error.hpp>

#include "backends/cuda/reclaimer.hpp"

namespace quern::cuda {

using clock = std::chrono::steady_clock;

/// An event by which later ones are timed.
struct context::mark {
    context& owner;
    event_handle event = nullptr;
    clock::time_point set_at;
    std::shared_ptr<mark> previous;    ///< until `time_ns` is known
    std::optional<std::uint64_t> time_ns;

    explicit mark(context& c) : owner(c) {}
    mark(const mark&) = delete;
    mark& operator=(const mark&) = delete;
    ~mark() {
        if (event != nullptr) owner.call_.event_destroy(event);
    }
};

std::string recent_kernels::describe() const {
    const std::uint32_t count = count_.load(std::memory_order_acquire);
    const std::uint32_t known = std::min(count - forgotten_.load(std::memory_order_relaxed), capacity);
    std::vector<const std::string*> names;
    for (std::uint32_t i = 1; i <= known; ++i) {
        const std::string* name = names_[(count - i) % capacity].load(std::memory_order_relaxed);
        if (name != nullptr && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (names.empty()) return {};
    std::string list;
    for (const std::string* name : names) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", *name);
    return (names.size() == 1 ? "kernel " : "one of the kernels ") + list;
}

context::context(const driver& d, int ordinal)
    : call_(d), is_primary_(true), id_(fmt::format("cuda:{}", ordinal)), reclaimer_(std::make_unique<reclaimer>()) {
    d.check(d.device_at(&device_, ordinal), id_, "cuDeviceGet");
    d.check(d.primary_retain(&handle_, device_), id_, "cuDevicePrimaryCtxRetain");
}

context::context(const driver& d, context_handle adopted)
    : call_(d), handle_(adopted), id_("cuda"), reclaimer_(std::make_unique<reclaimer>()) {
    const current_context now(*this);
    d.check(d.context_device(&device_), id_, "cuCtxGetDevice");
    id_ = fmt::format("cuda:{}", device_);
}

context::~context() {
    reclaimer_.reset();
    {
        const current_context now(*this);
        for (const event_handle e : events_) call_.event_destroy(e);
        last_mark_.reset();
    }
    if (is_primary_) call_.primary_release(device_);
}

void context::check(int error, std::string_view call, const recent_kernels* running) {
    if (error == 0) return;
    const std::string during = running != nullptr ? running->describe() : std::string();
    const std::string text = fmt::format("{}: {}: {}{}{}", id_, call, call_.describe(error), during.empty() ? "" : " in ", during);
    if (!is_sticky(error)) throw device_error(text);
    const std::scoped_lock lock(mutex_);
    if (lost_.empty())
        lost_ = text + "; the driver gives up the whole context after this, so the device stays unusable in this process";
    is_lost_.store(true, std::memory_order_release);
    throw device_error(lost_);
}

event_handle context::take_event() {
    {
        const std::scoped_lock lock(mutex_);
        if (!events_.empty()) {
            const event_handle e = events_.back();
            events_.pop_back();
            return e;
        }
    }
    event_handle e = nullptr;
    check(call_.event_create(&e, 0), "cuEventCreate");
    return e;
}

void context::give_event(event_handle e) noexcept {
    try {
        const std::scoped_lock lock(mutex_);
        events_.push_back(e);
    } catch (...) {
        call_.event_destroy(e);
    }
}

std::shared_ptr<context::mark> context::mark_for(stream_handle s) {
    const std::scoped_lock lock(mutex_);
    const auto now = clock::now();
    if (last_mark_ != nullptr && now - last_mark_->set_at < std::chrono::seconds(1)) return last_mark_;
    auto next = std::make_shared<mark>(*this);
    call_.check(call_.event_create(&next->event, 0), id_, "cuEventCreate");
    call_.check(call_.event_record(next->event, s), id_, "cuEventRecord");
    next->set_at = now;
    next->previous = last_mark_;
    if (last_mark_ == nullptr) next->time_ns = 0;
    last_mark_ = next;
    return next;
}

std::uint64_t context::time_ns(const std::shared_ptr<mark>& before, event_handle e) {
    const auto elapsed_ns = [&](event_handle first, event_handle last) {
        float ms = 0;
        if (call_.event_synchronize(first) != 0 || call_.event_elapsed(&ms, first, last) != 0) return 0.0;
        return static_cast<double>(ms) * 1e6;
    };
    const auto later = [](std::uint64_t start, double ns) {
        return static_cast<std::uint64_t>(std::max(static_cast<double>(start) + ns, 0.0));
    };
    const std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<mark>> unknown;
    for (std::shared_ptr<mark> m = before; !m->time_ns; m = m->previous) unknown.push_back(m);
    for (auto m = unknown.rbegin(); m != unknown.rend(); ++m) {
        (*m)->time_ns = later(*(*m)->previous->time_ns, elapsed_ns((*m)->previous->event, (*m)->event));
        (*m)->previous.reset();
    }
    return later(*before->time_ns, elapsed_ns(before->event, e));
}

}  // namespace quern::cuda
