#include "devices.hpp"

#include <quern/runtime.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <utility>

namespace quern_tool {
namespace {

using nlohmann::ordered_json;
using quern::feature;

constexpr std::pair<feature, const char*> features[] = {
    {feature::int8, "int8"},
    {feature::int16, "int16"},
    {feature::int64, "int64"},
    {feature::half, "half"},
    {feature::bfloat16, "bfloat16"},
    {feature::float64, "float64"},
    {feature::atomic_int64, "atomic_int64"},
    {feature::atomic_float, "atomic_float"},
    {feature::subgroups, "subgroups"},
    {feature::device_fence, "device_fence"},
    {feature::workgroup_progress, "workgroup_progress"},
    {feature::denormals, "denormals"},
};

const char* name_of(quern::backend b) {
    switch (b) {
        case quern::backend::cpu: return "cpu";
        case quern::backend::vulkan: return "vulkan";
        case quern::backend::cuda: return "cuda";
        case quern::backend::webgpu: return "webgpu";
        case quern::backend::reference: return "reference";
    }
    return "";
}

std::vector<const char*> features_of(const quern::target_info& t) {
    std::vector<const char*> names;
    for (const auto& [f, name] : features)
        if (t.has(f)) names.push_back(name);
    return names;
}

/// "62.8 GiB", "48 KiB".
std::string describe_size(std::size_t bytes) {
    const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    double n = static_cast<double>(bytes);
    for (; n >= 1024 && unit + 1 < std::size(units); n /= 1024) ++unit;
    return fmt::format("{:.4g} {}", n, units[unit]);
}

ordered_json describe(const quern::device& d) {
    const quern::target_info& t = d.info();
    ordered_json result = {{"id", d.id()},
                           {"name", t.name},
                           {"vendor", t.vendor},
                           {"backend", name_of(t.backend)},
                           {"memory_bytes", t.memory_bytes},
                           {"shared_memory_bytes", t.shared_memory_bytes},
                           {"subgroup_size", t.subgroup_size},
                           {"max_workgroup_size", t.max_workgroup_size},
                           {"compute_units", t.compute_units},
                           {"features", features_of(t)}};
    if (t.compute_capability != 0) result["compute_capability"] = t.compute_capability;
    return result;
}

void print(const quern::device& d) {
    const quern::target_info& t = d.info();
    fmt::print("{:<10} {}\n", d.id(), t.name);
    fmt::print("           backend {}, {} compute units, {} of memory\n", name_of(t.backend), t.compute_units,
               describe_size(t.memory_bytes));
    fmt::print("           workgroups of up to {} invocations with {} of shared memory, subgroups of {}\n",
               t.max_workgroup_size, describe_size(t.shared_memory_bytes), t.subgroup_size);
    fmt::print("           features: {}\n", fmt::join(features_of(t), ", "));
}

}  // namespace

void list_devices(listing format) {
    const quern::runtime runtime;
    const std::vector<quern::device> devices = runtime.devices();
    const std::vector<quern::missing_backend> missing = runtime.missing();
    switch (format) {
        case listing::text:
            for (const quern::device& d : devices) print(d);
            if (devices.empty()) fmt::print("no device\n");
            for (const quern::missing_backend& m : missing) fmt::print("missing    {}: {}\n", m.name, m.reason);
            break;
        case listing::json:
            ordered_json result = {{"devices", ordered_json::array()}, {"missing", ordered_json::array()}};
            for (const quern::device& d : devices) result["devices"].push_back(describe(d));
            for (const quern::missing_backend& m : missing)
                result["missing"].push_back({{"backend", m.name}, {"reason", m.reason}});
            fmt::print("{}\n", result.dump(2));
            break;
    }
}

}  // namespace quern_tool
