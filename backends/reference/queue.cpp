#include "backends/reference/queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/reference/device.hpp"
#include "backends/reference/interpreter.hpp"

namespace quern::reference {
namespace {

/// Everything before it is done when it is made.
class reached final : public backends::event {
public:
    explicit reached(std::exception_ptr failure) : failure_(std::move(failure)) {}

    bool done() const override { return true; }
    void wait() override {
        if (failure_) std::rethrow_exception(failure_);
    }
    std::uint64_t timestamp_ns() const override { return static_cast<std::uint64_t>(at_.count()); }

private:
    const std::exception_ptr failure_;
    const std::chrono::nanoseconds at_ = std::chrono::steady_clock::now().time_since_epoch();
};

}  // namespace

queue::~queue() { release_retained(); }

void queue::encode(const backends::dispatch& d) {
    const auto& program = static_cast<const reference::program&>(*d.program);
    const ir::module& module = program.kernel().module();
    std::vector<std::span<std::byte>> buffers;
    auto argument = d.buffers.begin();
    for (const ir::parameter& p : module.parameters) {
        if (p.kind != ir::parameter_kind::buffer || argument == d.buffers.end()) continue;
        const backends::buffer_argument& a = *argument++;
        buffers.emplace_back(a.buffer->mapped + a.offset_bytes, a.count * module[p.type].size_bytes);
    }
    std::vector<std::byte> values(d.values.begin(), d.values.end());
    commands_.emplace_back([&program, buffers = std::move(buffers), values = std::move(values), extent = d.extent,
                            groups = d.groups] {
        run_arguments a;
        a.buffers = buffers;
        a.values = values;
        a.extent = extent;
        a.groups = groups;
        a.lanes = program.lanes();
        interpret(program.kernel(), a);
    });
}

void queue::encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                        std::uint64_t to_offset, std::uint64_t size_bytes) {
    commands_.emplace_back([source = from.mapped + from_offset, target = to.mapped + to_offset, size_bytes] {
        if (size_bytes != 0) std::memmove(target, source, size_bytes);
    });
}

void queue::encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) {
    commands_.emplace_back([target = to.mapped + offset, size_bytes, byte] {
        if (size_bytes != 0) std::memset(target, byte, size_bytes);
    });
}

void queue::encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) {
    commands_.emplace_back([bytes = std::vector<std::byte>(from.begin(), from.end()), target = to.mapped + to_offset] {
        std::ranges::copy(bytes, target);
    });
}

void queue::encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) {
    commands_.emplace_back([source = from.mapped + from_offset, to] { std::copy_n(source, to.size(), to.begin()); });
}

void queue::encode_wait(std::shared_ptr<backends::event> e) {
    commands_.emplace_back([e = std::move(e)] { e->wait(); });
}

void queue::retain(void* object, void (*release)(void*) noexcept) { retained_.emplace_back(object, release); }

/// A command that fails ends its list; later lists run.
void queue::submit() {
    try {
        for (const auto& command : commands_) command();
    } catch (...) {
        if (!failure_) failure_ = std::current_exception();
    }
    commands_.clear();
    release_retained();
}

std::shared_ptr<backends::event> queue::record() { return std::make_shared<reached>(failure_); }

void queue::synchronize() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void queue::release_retained() noexcept {
    for (const auto& [object, release] : std::exchange(retained_, {})) release(object);
}

}  // namespace quern::reference
