#include "backends/cuda/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include <quern/error.hpp>

#include "platform/shared_library.hpp"

namespace quern::cuda {
namespace {

constexpr int oldest_driver = 12000;

/// Calls bind(member, symbol) for every entry point.
template <class Bind>
void for_each_entry_point(driver& d, Bind bind) {
    bind(d.init, "cuInit");
    bind(d.driver_version, "cuDriverGetVersion");
    bind(d.error_name, "cuGetErrorName");
    bind(d.error_text, "cuGetErrorString");
    bind(d.device_count, "cuDeviceGetCount");
    bind(d.device_at, "cuDeviceGet");
    bind(d.device_name, "cuDeviceGetName");
    bind(d.device_attribute, "cuDeviceGetAttribute");
    bind(d.device_memory, "cuDeviceTotalMem_v2");
    bind(d.primary_retain, "cuDevicePrimaryCtxRetain");
    bind(d.primary_release, "cuDevicePrimaryCtxRelease_v2");
    bind(d.context_current, "cuCtxGetCurrent");
    bind(d.context_push, "cuCtxPushCurrent_v2");
    bind(d.context_pop, "cuCtxPopCurrent_v2");
    bind(d.context_device, "cuCtxGetDevice");
    bind(d.memory_info, "cuMemGetInfo_v2");
    bind(d.allocate, "cuMemAlloc_v2");
    bind(d.free, "cuMemFree_v2");
    bind(d.allocate_host, "cuMemHostAlloc");
    bind(d.free_host, "cuMemFreeHost");
    bind(d.address_of_host, "cuMemHostGetDevicePointer_v2");
    bind(d.copy, "cuMemcpyAsync");
    bind(d.upload, "cuMemcpyHtoDAsync_v2");
    bind(d.download, "cuMemcpyDtoHAsync_v2");
    bind(d.fill, "cuMemsetD8Async");
    bind(d.stream_create, "cuStreamCreate");
    bind(d.stream_destroy, "cuStreamDestroy_v2");
    bind(d.stream_synchronize, "cuStreamSynchronize");
    bind(d.stream_wait, "cuStreamWaitEvent");
    bind(d.event_create, "cuEventCreate");
    bind(d.event_destroy, "cuEventDestroy_v2");
    bind(d.event_record, "cuEventRecord");
    bind(d.event_query, "cuEventQuery");
    bind(d.event_synchronize, "cuEventSynchronize");
    bind(d.event_elapsed, "cuEventElapsedTime");
    bind(d.module_load, "cuModuleLoadDataEx");
    bind(d.module_unload, "cuModuleUnload");
    bind(d.module_function, "cuModuleGetFunction");
    bind(d.function_set, "cuFuncSetAttribute");
    bind(d.launch, "cuLaunchKernel");
}

/// Empty if the driver is ready.
std::string load(driver& d) {
    std::string error;
    platform::shared_library library("libcuda.so.1", error);
    if (!library.is_open()) return "NVIDIA's driver was not found: " + error;
    std::string missing;
    for_each_entry_point(d, [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
        if (function == nullptr && missing.empty()) missing = name;
    });
    int version = 0;
    if (d.driver_version != nullptr) d.driver_version(&version);
    if (version != 0 && version < oldest_driver)
        return fmt::format("NVIDIA's driver supports CUDA {}.{}; 12.0 or newer is needed", version / 1000, version % 1000 / 10);
    if (!missing.empty()) return "NVIDIA's driver lacks " + missing;
    if (const int failed = d.init(0); failed != 0) return "cuInit: " + d.describe(failed);
    library.keep_open();
    return {};
}

}  // namespace

const driver* driver::find(std::string& reason) {
    struct search {
        driver functions{};
        std::string reason = load(functions);
    };
    static const search* const found = new search;  // outlives static objects that still hold devices
    reason = found->reason;
    return reason.empty() ? &found->functions : nullptr;
}

std::string driver::describe(int error) const {
    const char *name = nullptr, *text = nullptr;
    if (error_name(error, &name) != 0 || name == nullptr) return fmt::format("CUDA error {}", error);
    if (error_text(error, &text) != 0 || text == nullptr) return name;
    return fmt::format("{} ({})", name, text);
}

void driver::check(int error, std::string_view where, std::string_view call) const {
    if (error != 0) throw device_error(fmt::format("{}: {}: {}", where, call, describe(error)));
}

bool is_sticky(int error) {
    // illegal address, timeout, destroyed context, assert, stack, instruction, alignment, address space, program counter,
    // failed launch, uncorrectable memory, unknown
    constexpr std::array codes{700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 214, 999};
    return std::ranges::find(codes, error) != codes.end();
}

}  // namespace quern::cuda
