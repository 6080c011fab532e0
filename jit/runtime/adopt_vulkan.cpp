// Devices, buffers and command buffers that the program around us owns: <quern/vulkan.hpp>.
#include <quern/error.hpp>
#include <quern/vulkan.hpp>

#include <fmt/format.h>

#include <atomic>

#include "backends/registry.hpp"
#include "jit/runtime/buffer_state.hpp"
#include "jit/runtime/device_state.hpp"
#include "jit/runtime/kernel_state.hpp"
#include "jit/runtime/launch.hpp"
#include "jit/runtime/runtime_state.hpp"

namespace quern {
namespace {

backends::backend& vulkan_backend() { return *backends::find("vulkan"); }  // a stub where it is not built in

backends::native_device native(const vulkan_handles& h) {
    if (h.instance == nullptr || h.physical == nullptr || h.get_proc.address == nullptr)
        throw usage_error("vulkan: instance, physical and get_proc must be given");
    return {h.instance, h.physical, h.device, h.queue, h.family, h.get_proc.address};
}

[[noreturn]] void fail_not_built() { throw device_error("the Vulkan backend was not built in"); }

}  // namespace

vulkan_device_requirements vulkan_requirements(const vulkan_handles& h) {
    backends::native_requirements r = vulkan_backend().requirements(native(h));
    if (r.owner == nullptr) fail_not_built();
    return {r.extensions.data(), static_cast<std::uint32_t>(r.extensions.size()), r.features, std::move(r.owner)};
}

device adopt_vulkan(const vulkan_handles& h) {
    quern_detail::forbid_in_trace("adopt_vulkan");
    if (h.device == nullptr || h.queue == nullptr) throw usage_error("adopt_vulkan: device and queue must be given");
    static std::atomic<unsigned> adopted{0};
    std::unique_ptr<backends::device> d = vulkan_backend().adopt(native(h));
    if (d == nullptr) fail_not_built();
    return quern_detail::runtime_state::standard().adopt(vulkan_backend(), fmt::format("vulkan:adopted{}", adopted++), std::move(d));
}

namespace quern_detail {

buffer_state* adopt_vulkan_buffer(device_state* d, std::uint64_t native, std::uint64_t offset_bytes, std::size_t size_bytes) {
    forbid_in_trace("adopt_vulkan_buffer");
    device_state& device = require(d, "device");
    std::unique_ptr<backends::memory> m = device.device().adopt_memory(native, offset_bytes, size_bytes);
    if (m == nullptr) throw usage_error(fmt::format("adopt_vulkan_buffer: {} is no Vulkan device", device.id()));
    return new buffer_state(handle<device_state>::share(&device), std::move(m));
}

void record_vulkan(void* commands, kernel_state* k, const launch_shape& shape, const argument_ref* arguments, std::size_t count) {
    forbid_in_trace("record_vulkan");
    kernel_state& kernel = require(k, "kernel");
    device_state* d = nullptr;
    for (std::size_t i = 0; i < count && d == nullptr; ++i)
        if (arguments[i].buffer.state != nullptr) d = &arguments[i].buffer.state->device();
    if (d == nullptr) throw usage_error(fmt::format("record_vulkan: kernel \"{}\" has no buffer argument that names a device", kernel.name()));
    jit::variant& v = kernel.get(*d, jit::kind_of(shape));
    jit::packed_launch packed(v, *d, shape, {arguments, count});
    if (packed.is_empty()) return;
    if (!d->device().record(commands, packed.dispatch_of(v)))
        throw usage_error(fmt::format("record_vulkan: the buffers belong to {}, which is no Vulkan device", d->id()));
}

}  // namespace quern_detail
}  // namespace quern
