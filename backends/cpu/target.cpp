#include "backends/cpu/target.hpp"

#include "platform/processor.hpp"
#include "platform/system_memory.hpp"

namespace quern::cpu {
namespace {

constexpr std::string_view prefix = "cpu:";

/// Widest vectors of the processors that LLVM names, where they are not 32 bytes.
struct width_rule {
    std::string_view part;  ///< of the name
    std::uint32_t lanes;
};
constexpr width_rule width_rules[] = {
    {"x86-64-v4", 16}, {"x86-64-v3", 8},   {"x86-64", 4},       {"avx512", 16},       {"znver4", 16},  {"znver5", 16},
    {"icelake", 16},   {"tigerlake", 16},  {"rocketlake", 16},  {"cascadelake", 16},  {"cooperlake", 16},
    {"cannonlake", 16}, {"skx", 16},       {"rapids", 16},      {"nehalem", 4},       {"westmere", 4}, {"core2", 4},
    {"penryn", 4},     {"silvermont", 4},  {"goldmont", 4},     {"tremont", 4},       {"sandybridge", 4},
    {"ivybridge", 4},  {"btver", 4},       {"bdver", 4},
};

std::uint32_t lanes_of(std::string_view cpu) {
    for (const width_rule& rule : width_rules)
        if (cpu.find(rule.part) != std::string_view::npos) return rule.lanes;
    return 8;
}

target_info common_info() {
    target_info info;
    info.backend = backend::cpu;
    info.shared_memory_bytes = 64 * 1024;  // as on GPUs, so that what runs here runs there
    info.max_workgroup_size = 1024;
    for (const feature f : {feature::int8, feature::int16, feature::int64, feature::half, feature::bfloat16,
                            feature::float64, feature::atomic_int64, feature::atomic_float, feature::subgroups,
                            feature::device_fence, feature::workgroup_progress, feature::denormals})
        info.features |= 1u << static_cast<unsigned>(f);
    return info;
}

}  // namespace

backends::target host_target(std::uint32_t lanes) {
    const platform::processor& host = platform::this_processor();
    backends::target t{common_info(), "cpu", host.name + "," + host.features + "," + host.identity};
    t.info.name = host.name;
    t.info.vendor = host.vendor;
    t.info.subgroup_size = lanes != 0 ? lanes : host.vector_bytes / static_cast<std::uint32_t>(sizeof(float));
    t.info.compute_units = host.hardware_threads;
    // The rest is left to the program around us and to the system.
    t.info.memory_bytes = platform::memory_limit_bytes() / 10 * 9;
    return t;
}

backends::target find_target(std::string_view name) {
    if (name == "cpu") return host_target(0);
    if (!name.starts_with(prefix) || name == prefix) return {};
    const std::string_view cpu = name.substr(prefix.size());
    backends::target t{common_info(), std::string(name), std::string(cpu)};
    t.info.name = cpu;
    t.info.subgroup_size = lanes_of(cpu);
    return t;
}

std::string llvm_cpu(const backends::target& t) {
    return t.name.starts_with(prefix) ? t.name.substr(prefix.size()) : std::string();
}

}  // namespace quern::cpu
