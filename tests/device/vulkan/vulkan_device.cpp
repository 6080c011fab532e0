#include "tests/device/vulkan/vulkan_device.hpp"

#include <cstdlib>

#include "backends/registry.hpp"
#include "backends/vulkan/loader.hpp"

namespace quern::tests {
namespace {

/// Before anybody asks for devices: the instance is made once, with or without layers.
[[maybe_unused]] const bool validates = [] {
    at_end("validation layers are silent", [] {
        const vulkan::validation_report r = vulkan::validation();
        return r.errors == 0 ? std::string() : std::to_string(r.errors) + " messages, the last one: " + r.last;
    });
    return setenv("QUERN_VULKAN_VALIDATION", "1", 0) == 0;
}();

}  // namespace

std::optional<device> find_vulkan_device(std::string& reason) {
    const auto found = backends::find("vulkan")->enumerate(reason);
    if (found.empty()) return std::nullopt;
    return runtime({.read_environment = false}).find(found.front().id);
}

}  // namespace quern::tests
