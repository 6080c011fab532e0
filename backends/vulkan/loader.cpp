#include "backends/vulkan/loader.hpp"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "platform/environment.hpp"
#include "platform/shared_library.hpp"

namespace quern::vulkan {
namespace {

constexpr const char* layer_name = "VK_LAYER_KHRONOS_validation";

struct report {
    std::mutex mutex;
    validation_report content;
    bool is_planted = false;
    std::uint64_t planted = 0;
};

report& the_report() {
    static report r;
    return r;
}

VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                       const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
    const std::scoped_lock lock(the_report().mutex);
    if (the_report().is_planted) {
        ++the_report().planted;
        return VK_FALSE;
    }
    ++the_report().content.errors;
    the_report().content.last = data->pMessage;
    fmt::print(stderr, "vulkan validation: {}\n", data->pMessage);
    return VK_FALSE;
}

PFN_vkGetInstanceProcAddr open_loader(std::string& reason) {
    for (const char* name : {"libvulkan.so.1", "libvulkan.so", "vulkan-1.dll", "libvulkan.1.dylib"}) {
        platform::shared_library library(name, reason);
        if (!library.is_open()) continue;
        const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(library.symbol("vkGetInstanceProcAddr"));
        if (get == nullptr) continue;
        library.keep_open();
        return get;
    }
    reason = "no Vulkan loader (libvulkan.so.1)";
    return nullptr;
}

bool has_layer(const global_functions& f) {
    std::uint32_t count = 0;
    f.vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    f.vkEnumerateInstanceLayerProperties(&count, layers.data());
    for (const VkLayerProperties& l : layers)
        if (std::strcmp(l.layerName, layer_name) == 0) return true;
    return false;
}

std::shared_ptr<instance> make_instance(std::string& reason) {
    const PFN_vkGetInstanceProcAddr get = open_loader(reason);
    if (get == nullptr) return nullptr;
    const global_functions f(get);

    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pEngineName = "Quern";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;

    const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, nullptr, 1, enabled, 0, nullptr};
    VkDebugUtilsMessengerCreateInfoEXT messenger{};
    messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    messenger.pNext = &features;
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = receive;
    const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const bool validates = validation_is_wanted() && has_layer(f);
    if (validates) {
        info.pNext = &messenger;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer_name;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }

    auto made = std::make_shared<instance>();
    const VkResult r = f.vkCreateInstance(&info, nullptr, &made->handle);
    if (r < 0) {
        reason = fmt::format("vkCreateInstance failed with {}", name_of(r));
        return nullptr;
    }
    made->get_proc = get;
    made->functions = instance_functions(get, made->handle);
    if (!validates) return made;
    messenger.pNext = nullptr;
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(get(made->handle, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerEXT handle = VK_NULL_HANDLE;  // as long as its instance: until the process ends
    the_report().content.is_active = create != nullptr && create(made->handle, &messenger, nullptr, &handle) >= 0;
    return made;
}

}  // namespace

std::shared_ptr<instance> shared_instance(std::string& reason) {
    static std::mutex mutex;
    static std::string why;
    // Never destroyed: drivers have their own static objects, which may be gone by then.
    static auto* const made = new std::shared_ptr<instance>();
    static bool tried = false;
    const std::scoped_lock lock(mutex);
    if (!tried) {
        tried = true;
        *made = make_instance(why);
    }
    reason = why;
    return *made;
}

bool validation_is_wanted() { return platform::environment_variable("QUERN_VULKAN_VALIDATION").has_value(); }

validation_report validation() {
    const std::scoped_lock lock(the_report().mutex);
    return the_report().content;
}

planted_error::planted_error() {
    const std::scoped_lock lock(the_report().mutex);
    the_report().is_planted = true;
    the_report().planted = 0;
}

planted_error::~planted_error() {
    const std::scoped_lock lock(the_report().mutex);
    the_report().is_planted = false;
}

std::uint64_t planted_error::seen() const {
    const std::scoped_lock lock(the_report().mutex);
    return the_report().planted;
}

}  // namespace quern::vulkan
