#include "platform/system_memory.hpp"

#include <algorithm>
#include <cstdint>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#endif

namespace quern::platform {

#ifdef _WIN32

namespace {

MEMORYSTATUSEX memory_status() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    GlobalMemoryStatusEx(&status);
    return status;
}

}  // namespace

std::size_t memory_limit_bytes() { return static_cast<std::size_t>(memory_status().ullTotalPhys); }
std::size_t memory_available_bytes() { return static_cast<std::size_t>(memory_status().ullAvailPhys); }

void prefer_large_pages(void*, std::size_t) noexcept {}  // Windows gives them to privileged processes only

#else

namespace {

std::optional<std::size_t> read_number(const std::string& path) {
    std::ifstream file(path);
    std::size_t number = 0;
    if (file >> number) return number;
    return std::nullopt;  // absent, or the word "max"
}

/// The control group's limit and use: version 2 at its own path and at the root of a container, then version 1.
struct control_group {
    std::optional<std::size_t> limit;
    std::optional<std::size_t> used;
};

control_group this_control_group() {
    std::string path;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("0::")) path = line.substr(3);
    for (const std::string& folder : {"/sys/fs/cgroup" + path, std::string("/sys/fs/cgroup")})
        if (const auto limit = read_number(folder + "/memory.max"))
            return {limit, read_number(folder + "/memory.current")};
    return {read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
            read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes")};
}

std::size_t physical_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) : 0;
}

std::size_t free_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::size_t kibibytes = 0;
    for (std::string unit; file >> name >> kibibytes; std::getline(file, unit))
        if (name == "MemAvailable:") return kibibytes * 1024;
    return physical_bytes();
}

}  // namespace

std::size_t memory_limit_bytes() {
    const std::size_t physical = physical_bytes();
    return std::min(physical, this_control_group().limit.value_or(physical));
}

std::size_t memory_available_bytes() {
    const control_group group = this_control_group();
    const std::size_t free = free_bytes();
    if (!group.limit) return free;
    const std::size_t used = std::min(group.used.value_or(0), *group.limit);
    return std::min(free, *group.limit - used);
}

void prefer_large_pages(void* first, std::size_t size_bytes) noexcept {
#ifdef MADV_HUGEPAGE
    static_cast<void>(madvise(first, size_bytes / large_page_bytes * large_page_bytes, MADV_HUGEPAGE));
#else
    static_cast<void>(first), static_cast<void>(size_bytes);
#endif
}

#endif

}  // namespace quern::platform
