#include "jit/runtime/runtime_state.hpp"

#include <quern/error.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "backends/registry.hpp"
#include "jit/runtime/device_state.hpp"

namespace quern::quern_detail {
namespace {

std::string_view family(std::string_view id) { return id.substr(0, id.find(':')); }

/// "cuda" names "cuda:0", and in QUERN_DEVICE every device of CUDA.
bool names_device(std::string_view name, std::string_view id) {
    return name == id || (name == family(id) && name.find(':') == std::string_view::npos);
}

/// At the end of the process waits for what is still queued, while the libraries that run it are still there. The
/// state itself is never destroyed: destructors of other static objects may still ask for devices.
struct standard_runtime {
    runtime_state* state = new runtime_state(jit::make_settings({}), backends::all());
    ~standard_runtime() { state->close(); }
};

}  // namespace

runtime_state::runtime_state(jit::settings s, std::span<backends::backend* const> backends)
    : settings_(std::move(s)), cache_(std::make_shared<jit::kernel_cache>(settings_)), backends_(backends) {}

runtime_state::~runtime_state() { close(); }

void runtime_state::close() {
    const std::scoped_lock lock(mutex_);
    for (const open_device& d : open_) {
        try {
            d.state->wait_for(~0ULL);
        } catch (const error& e) {
            jit::log(settings_, log_level::error, fmt::format("lost with its runtime: {}", e.what()));
        }
    }
    open_.clear();
}

runtime_state& runtime_state::standard() {
    static standard_runtime runtime;
    return *runtime.state;
}

void runtime_state::enumerate(backends::backend& b) {
    if (std::find(enumerated_.begin(), enumerated_.end(), &b) != enumerated_.end()) return;
    enumerated_.push_back(&b);
    std::string reason;
    std::vector<backends::device_description> found = b.enumerate(reason);
    if (found.empty()) missing_.push_back({std::string(b.name()), reason});
    for (backends::device_description& d : found) {
        const auto after = std::upper_bound(entries_.begin(), entries_.end(), d.rank, [](int rank, const auto& e) {
            return rank < e->description.rank;
        });
        entries_.insert(after, std::make_unique<entry>(entry{&b, std::move(d)}));
    }
}

bool runtime_state::is_wanted(std::string_view backend_name) const {
    return !settings_.devices || std::any_of(settings_.devices->begin(), settings_.devices->end(),
                                             [&](const std::string& id) { return family(id) == backend_name; });
}

const runtime_state::entry* runtime_state::lookup(std::string_view id) const {
    for (const auto& e : entries_)
        if (names_device(id, e->description.id)) return e.get();
    return nullptr;
}

std::string runtime_state::present() const {
    std::string ids;
    for (const auto& e : entries_)
        if (e->description.listed) ids += (ids.empty() ? "" : ", ") + e->description.id;
    return ids.empty() ? "none" : ids;
}

std::vector<const runtime_state::entry*> runtime_state::allowed() {
    for (backends::backend* b : backends_)
        if (is_wanted(b->name())) enumerate(*b);
    std::vector<const entry*> result;
    if (settings_.devices) {
        for (const std::string& id : *settings_.devices) {
            const entry* e = lookup(id);
            if (e != nullptr && e->description.listed) continue;
            for (backends::backend* b : backends_) enumerate(*b);
            throw usage_error(fmt::format("QUERN_DEVICE names the device '{}', which is not present; present: {}", id,
                                          present()));
        }
    }
    for (const auto& e : entries_) {
        const auto names_this = [&](const std::string& id) { return names_device(id, e->description.id); };
        if (e->description.listed && (!settings_.devices || std::any_of(settings_.devices->begin(),
                                                                        settings_.devices->end(), names_this)))
            result.push_back(e.get());
    }
    return result;
}

device runtime_state::open(const entry& e, const backends::open_options& options, const std::string& key) {
    for (const open_device& d : open_)
        if (d.key == key) return device(d.state);
    handle<device_state> state(new device_state(*e.backend, e.description.id,
                                                e.backend->open(e.description.id, options), settings_, cache_));
    open_.push_back({key, state});
    return device(state);
}

device runtime_state::adopt(backends::backend& b, std::string id, std::unique_ptr<backends::device> d) {
    return device(handle<device_state>(new device_state(b, std::move(id), std::move(d), settings_, cache_)));
}

std::vector<device> runtime_state::devices() {
    const std::scoped_lock lock(mutex_);
    std::vector<device> result;
    for (const entry* e : allowed()) result.push_back(open(*e, {.lanes = settings_.lanes}, e->description.id));
    return result;
}

device runtime_state::best() {
    {
        const std::scoped_lock lock(mutex_);
        const std::vector<const entry*> choices = allowed();
        if (!choices.empty())
            return open(*choices.front(), {.lanes = settings_.lanes}, choices.front()->description.id);
    }
    std::string reasons;
    for (const missing_backend& m : missing()) reasons += fmt::format("; {}: {}", m.name, m.reason);
    throw device_error("no device is usable" + reasons);
}

device runtime_state::find(std::string_view id) {
    const std::scoped_lock lock(mutex_);
    // Unlisted devices (the reference) are reached by find alone, whatever QUERN_DEVICE says.
    for (backends::backend* b : backends_)
        if (b->name() == family(id)) enumerate(*b);
    const entry* e = lookup(id);
    if (e != nullptr && !e->description.listed) return open(*e, {.lanes = settings_.lanes}, e->description.id);
    const std::vector<const entry*> choices = allowed();
    for (const entry* c : choices)
        if (names_device(id, c->description.id)) return open(*c, {.lanes = settings_.lanes}, c->description.id);
    if (e != nullptr) {
        std::string ids;
        for (const entry* c : choices) ids += (ids.empty() ? "" : ", ") + c->description.id;
        throw usage_error(fmt::format("device '{}' is excluded by QUERN_DEVICE, which allows {}", id, ids));
    }
    for (backends::backend* b : backends_) enumerate(*b);
    throw usage_error(fmt::format("unknown device '{}'; present: {}", id, present()));
}

device runtime_state::cpu(const cpu_options& options) {
    const std::scoped_lock lock(mutex_);
    for (backends::backend* b : backends_)
        if (b->name() == "cpu") enumerate(*b);
    const entry* e = lookup("cpu");
    if (e == nullptr) throw usage_error("the CPU backend was not built in");
    const bool all = options.threads == cpu_options::all_threads;
    return open(*e,
                {.inline_execution = options.threads == 0, .threads = all ? 0 : options.threads,
                 .lanes = settings_.lanes},
                all ? e->description.id : fmt::format("{} with {} threads", e->description.id, options.threads));
}

std::vector<missing_backend> runtime_state::missing() {
    const std::scoped_lock lock(mutex_);
    for (backends::backend* b : backends_) enumerate(*b);
    return missing_;
}

void retain(runtime_state* s) noexcept { s->retain(); }
void release(runtime_state* s) noexcept { s->release(); }

}  // namespace quern::quern_detail

namespace quern {

runtime::runtime(const runtime_options& options)
    : state_(new quern_detail::runtime_state(jit::make_settings(options), backends::all())) {}

std::vector<device> runtime::devices() const { return quern_detail::require(state_.get(), "runtime").devices(); }
device runtime::find(std::string_view id) const { return quern_detail::require(state_.get(), "runtime").find(id); }
device runtime::cpu(cpu_options options) const { return quern_detail::require(state_.get(), "runtime").cpu(options); }
std::vector<missing_backend> runtime::missing() const { return quern_detail::require(state_.get(), "runtime").missing(); }

std::vector<device> device::all() { return quern_detail::runtime_state::standard().devices(); }

device device::best() { return quern_detail::runtime_state::standard().best(); }
device device::find(std::string_view id) { return quern_detail::runtime_state::standard().find(id); }
device device::cpu(cpu_options options) { return quern_detail::runtime_state::standard().cpu(options); }

}  // namespace quern
