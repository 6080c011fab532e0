#include "backends/vulkan/vulkan.hpp"

#include <fmt/format.h>
#include <quern/error.hpp>

#include <charconv>
#include <cstring>

#include "backends/spirv/emitter.hpp"
#include "backends/vulkan/device.hpp"
#include "backends/vulkan/loader.hpp"

namespace quern::vulkan {
namespace {

constexpr std::string_view prefix = "vulkan:";

/// A device as every Vulkan of that version in the field has it.
backends::target plain_target(std::string_view name) {
    spirv::features f;
    f.storage8 = f.storage16 = f.int16 = f.int64 = f.memory_model = f.subgroups = true;
    f.push_bytes = 128;
    f.subgroup_size = 32;
    f.addresses = true;
    f.shuffle = f.shuffle_relative = f.int8 = f.float16 = f.float64 = f.subgroup_extended = true;
    f.keep_special32 = true;
    backends::target t;
    t.name = name;
    t.info.name = name;
    t.info.vendor = "unknown";
    t.info.shared_memory_bytes = 32768;
    t.info.max_workgroup_size = 1024;
    describe_code(t, f);
    return t;
}

/// Debug builds, and tests in all builds.
bool validates_modules() {
#ifdef NDEBUG
    static const bool validates = validation_is_wanted();
    return validates;
#else
    return true;
#endif
}

class vulkan_backend final : public backends::backend {
public:
    std::string_view name() const override { return "vulkan"; }

    std::vector<backends::device_description> enumerate(std::string& reason) override {
        std::vector<backends::device_description> result;
        std::vector<VkPhysicalDevice> handles;
        const std::shared_ptr<instance> i = list(handles, reason);
        for (std::size_t n = 0; n < handles.size(); ++n) {
            const physical_device p(i->functions, handles[n], spirv::memory_style::addresses);
            if (p.unusable.empty()) result.push_back({fmt::format("{}{}", prefix, n), p.properties.deviceName, p.rank()});
            else reason = fmt::format("'{}' cannot be used: {}", p.properties.deviceName, p.unusable);
        }
        return result;
    }

    std::unique_ptr<backends::device> open(std::string_view id, const backends::open_options&) override {
        const bool by_descriptors = id.ends_with(descriptor_suffix);
        if (by_descriptors) id.remove_suffix(descriptor_suffix.size());
        std::size_t number = 0;
        if (id.starts_with(prefix)) std::from_chars(id.data() + prefix.size(), id.data() + id.size(), number);
        std::string reason;
        std::vector<VkPhysicalDevice> handles;
        std::shared_ptr<instance> i = list(handles, reason);
        if (number >= handles.size()) throw device_error(fmt::format("vulkan: there is no device {}: {}", number, reason));
        auto p = std::make_shared<physical_device>(i->functions, handles[number],
                                                   by_descriptors ? spirv::memory_style::descriptors : spirv::memory_style::addresses);
        if (!p->unusable.empty()) throw device_error(fmt::format("vulkan: '{}' cannot be used: {}", p->properties.deviceName, p->unusable));
        return std::make_unique<device>(open_context(std::move(i), std::move(p)));
    }

    std::unique_ptr<backends::device> adopt(const backends::native_device& n) override {
        return std::make_unique<device>(adopt_context(n));
    }

    backends::native_requirements requirements(const backends::native_device& n) override {
        auto p = inspect_native(n);
        return {p->features.extensions, &p->features.core, p};
    }

    backends::target find_target(std::string_view name) override {
        for (const std::string_view known : {"vulkan:1.1", "vulkan:1.2", "vulkan:1.3", "vulkan:1.4", "vulkan"})
            if (name == known) return plain_target(name);
        return {};
    }

    backends::artifact compile(const ir::module& m, const backends::target& t, const backends::compile_options& o) override {
        const auto words = generate(m, t, o.debug ? spirv::debug_lines::include : spirv::debug_lines::omit);
        backends::artifact a{std::vector<std::byte>(words.size() * sizeof(spirv::word)), "spirv", {}};
        std::memcpy(a.bytes.data(), words.data(), a.bytes.size());
        return a;
    }

    std::vector<backends::stage> inspect(const ir::module& m, const backends::target& t, const backends::compile_options&) override {
        return {{"spirv", spirv::disassemble(generate(m, t, spirv::debug_lines::include))}};
    }

private:
    static std::vector<spirv::word> generate(const ir::module& m, const backends::target& t, spirv::debug_lines d) {
        std::vector<spirv::word> words = spirv::write_module(m, spirv::parse_features(t.code_features), d);
        if (!validates_modules()) return words;
        if (const std::string errors = spirv::validation_errors(words); !errors.empty())
            throw internal_error(fmt::format("kernel \"{}\": the SPIR-V is invalid: {}; please report this with the IR dump", m.name, errors));
        return words;
    }

    static std::shared_ptr<instance> list(std::vector<VkPhysicalDevice>& handles, std::string& reason) {
        std::shared_ptr<instance> i = shared_instance(reason);
        if (i == nullptr) return nullptr;
        std::uint32_t count = 0;
        VkResult r = i->functions.vkEnumeratePhysicalDevices(i->handle, &count, nullptr);
        handles.resize(r < 0 ? 0 : count);
        if (r >= 0) r = i->functions.vkEnumeratePhysicalDevices(i->handle, &count, handles.data());
        if (r < 0) handles.clear();
        if (handles.empty()) reason = "Vulkan's loader finds no driver";
        return i;
    }
};

}  // namespace

std::shared_ptr<context> context_of(backends::device& d) { return static_cast<device&>(d).context(); }

}  // namespace quern::vulkan

namespace quern::backends {

backend& vulkan_backend() {
    static vulkan::vulkan_backend backend;
    return backend;
}

}  // namespace quern::backends
