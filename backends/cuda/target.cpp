#include "backends/cuda/target.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace quern::cuda {
namespace {

/// Shared memory that a block may ask for, from the CUDA C++ Programming Guide's table of compute capabilities.
struct shared_rule {
    int from_capability;
    std::size_t kilobytes;
};
constexpr shared_rule shared_rules[] = {{50, 48}, {70, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {88, 99}, {89, 99},
                                        {90, 227}, {120, 99}};

}  // namespace

target_info info_of(int compute_capability) {
    target_info info;
    info.backend = backend::cuda;
    info.name = fmt::format("sm_{}", compute_capability);
    info.vendor = "NVIDIA";
    info.subgroup_size = 32;
    info.max_workgroup_size = 1024;
    info.compute_capability = compute_capability;
    for (const shared_rule& r : shared_rules)
        if (compute_capability >= r.from_capability) info.shared_memory_bytes = r.kilobytes * 1024;
    // half and bfloat16 need no header and are computed on every architecture; float atomics are native or retried.
    for (const feature f : {feature::int8, feature::int16, feature::int64, feature::half, feature::bfloat16, feature::float64,
                            feature::atomic_int64, feature::atomic_float, feature::subgroups, feature::device_fence,
                            feature::workgroup_progress, feature::denormals})
        info.features |= 1u << static_cast<unsigned>(f);
    return info;
}

backends::target find_target(std::string_view name) {
    if (name.starts_with("cuda:")) name.remove_prefix(5);
    if (!name.starts_with("sm_")) return {};
    std::string_view number = name.substr(3);
    if (number.ends_with('a') || number.ends_with('f')) number.remove_suffix(1);
    int capability = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), capability);
    if (error != std::errc{} || end != number.data() + number.size() || capability < 50 || capability > 999) return {};
    backends::target t{info_of(capability), std::string(name), std::string(name)};
    t.info.name = name;
    return t;
}

}  // namespace quern::cuda
