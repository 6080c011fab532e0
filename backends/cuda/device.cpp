#include "backends/cuda/device.hpp"

#include <fmt/format.h>

#include "backends/cuda/memory.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "backends/cuda/program.hpp"
#include "backends/cuda/queue.hpp"
#include "backends/cuda/target.hpp"

namespace quern::cuda {
namespace {

const driver& require_driver() {
    std::string reason;
    if (const driver* found = driver::find(reason)) return *found;
    throw device_error("cuda: " + reason);
}

int read(const driver& call, attribute a, int device) {
    int value = 0;
    call.check(call.device_attribute(&value, static_cast<int>(a), device), "cuda", "cuDeviceGetAttribute");
    return value;
}

std::string name_of(const driver& call, int device) {
    char name[256] = {};
    return call.device_name(name, sizeof name - 1, device) == 0 ? name : "NVIDIA GPU";
}

backends::target target_of(const driver& call, int device) {
    const int capability = 10 * read(call, attribute::capability_major, device) + read(call, attribute::capability_minor, device);
    backends::target t{info_of(capability), fmt::format("sm_{}", capability), fmt::format("sm_{}", capability)};
    t.info.name = name_of(call, device);
    t.info.max_workgroup_size = static_cast<std::uint32_t>(read(call, attribute::max_threads_per_block, device));
    t.info.compute_units = static_cast<std::uint32_t>(read(call, attribute::multiprocessor_count, device));
    t.info.shared_memory_bytes = static_cast<std::size_t>(read(call, attribute::max_shared_memory_per_block_optin, device));
    call.check(call.device_memory(&t.info.memory_bytes, device), "cuda", "cuDeviceTotalMem");
    return t;
}

class device final : public backends::device {
public:
    explicit device(std::shared_ptr<context> c) : context_(std::move(c)), target_(target_of(context_->call(), context_->device())) {}

    const backends::target& target() const override { return target_; }
    std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, backends::memory_kind kind) override {
        return cuda::allocate(context_, size_bytes, kind);
    }
    std::unique_ptr<backends::memory> wrap(std::span<std::byte>) override { return nullptr; }
    std::unique_ptr<backends::memory> adopt_memory(std::uint64_t handle, std::uint64_t offset, std::size_t size_bytes) override {
        return cuda::adopt_memory(handle + offset, size_bytes);
    }
    std::unique_ptr<backends::program> load(const backends::artifact& code, const ir::module& m,
                                            const backends::compile_options&) override {
        return std::make_unique<program>(context_, code, m);
    }
    std::unique_ptr<backends::queue> make_queue() override { return std::make_unique<queue>(context_); }
    std::unique_ptr<backends::queue> adopt_queue(void* handle) override {
        return std::make_unique<queue>(context_, static_cast<stream_handle>(handle));
    }
    void* native_handle() override { return context_->handle(); }

private:
    const std::shared_ptr<context> context_;
    const backends::target target_;
};

}  // namespace

std::vector<backends::device_description> enumerate(std::string& reason) {
    const driver* const call = driver::find(reason);
    if (call == nullptr) return {};
    int count = 0;
    if (const int error = call->device_count(&count); error != 0) reason = "cuDeviceGetCount: " + call->describe(error);
    else if (count == 0) reason = "the driver lists no device";
    std::vector<backends::device_description> found;
    for (int i = 0; i < count; ++i) {
        int device = 0;
        if (call->device_at(&device, i) == 0) found.push_back({.id = fmt::format("cuda:{}", i), .name = name_of(*call, device), .rank = 0});
    }
    return found;
}

std::unique_ptr<backends::device> open_device(std::string_view id) {
    const driver& call = require_driver();
    int count = 0;
    call.check(call.device_count(&count), "cuda", "cuDeviceGetCount");
    for (int i = 0; i < count; ++i)
        if (id == fmt::format("cuda:{}", i)) return std::make_unique<device>(std::make_shared<context>(call, i));
    throw device_error(fmt::format("cuda: there is no device '{}'", id));
}

std::unique_ptr<backends::device> adopt_device(void* handle) {
    return std::make_unique<device>(std::make_shared<context>(require_driver(), static_cast<context_handle>(handle)));
}

}  // namespace quern::cuda
