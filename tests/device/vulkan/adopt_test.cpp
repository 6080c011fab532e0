// <quern/vulkan.hpp>: a program that owns its VkInstance, VkDevice, VkBuffer and command buffer, with its own barriers.
#include <catch2/catch.hpp>

#include <quern/quern.hpp>
#include <quern/vulkan.hpp>

#include <cstring>
#include <memory>
#include <vector>

#include "backends/vulkan/functions.hpp"
#include "platform/shared_library.hpp"
#include "tests/device/vulkan/vulkan_device.hpp"

using namespace quern;
using namespace quern::tests;

namespace {

/// What such a program has. No validation: whatever is wrong here is this test's.
struct program {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    PFN_vkGetInstanceProcAddr get = nullptr;
    vulkan::instance_functions i;
    vulkan::device_functions f;

    vulkan_handles handles() const { return {.instance = instance, .physical = physical, .device = device, .queue = queue, .family = 0, .get_proc = get}; }

    program() {
        std::string error;
        platform::shared_library loader("libvulkan.so.1", error);
        get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(loader.symbol("vkGetInstanceProcAddr"));
        loader.keep_open();
        VkApplicationInfo application{};
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        application.apiVersion = VK_API_VERSION_1_3;
        VkInstanceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.pApplicationInfo = &application;
        REQUIRE(vulkan::global_functions(get).vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS);
        i = vulkan::instance_functions(get, instance);
        std::uint32_t one = 1;
        REQUIRE(i.vkEnumeratePhysicalDevices(instance, &one, &physical) >= 0);
        const vulkan_device_requirements needs = vulkan_requirements(handles());
        const float priority = 1;
        const VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
        const VkDeviceCreateInfo creation{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, needs.features, 0, 1, &queues, 0, nullptr,
                                          needs.extension_count, needs.extensions, nullptr};
        REQUIRE(i.vkCreateDevice(physical, &creation, nullptr, &device) == VK_SUCCESS);
        f = vulkan::device_functions(i.vkGetDeviceProcAddr, device);
        f.vkGetDeviceQueue(device, 0, 0, &queue);
    }
    program(const program&) = delete;
    ~program() {
        f.vkDestroyDevice(device, nullptr);
        i.vkDestroyInstance(instance, nullptr);
    }
};

struct mapped_buffer {
    const program& p;
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    float* numbers = nullptr;

    mapped_buffer(const program& owner, std::size_t count) : p(owner) {
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = count * sizeof(float);
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                     VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        REQUIRE(p.f.vkCreateBuffer(p.device, &info, nullptr, &handle) == VK_SUCCESS);
        VkMemoryRequirements needs{};
        p.f.vkGetBufferMemoryRequirements(p.device, handle, &needs);
        VkPhysicalDeviceMemoryProperties kinds{};
        p.i.vkGetPhysicalDeviceMemoryProperties(p.physical, &kinds);
        constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
        std::uint32_t kind = 0;
        while ((needs.memoryTypeBits >> kind & 1) == 0 || (kinds.memoryTypes[kind].propertyFlags & wanted) != wanted) ++kind;
        const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr, VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
        const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size, kind};
        REQUIRE(p.f.vkAllocateMemory(p.device, &allocation, nullptr, &memory) == VK_SUCCESS);
        REQUIRE(p.f.vkBindBufferMemory(p.device, handle, memory, 0) == VK_SUCCESS);
        void* at = nullptr;
        REQUIRE(p.f.vkMapMemory(p.device, memory, 0, VK_WHOLE_SIZE, 0, &at) == VK_SUCCESS);
        numbers = static_cast<float*>(at);
    }
    mapped_buffer(const mapped_buffer&) = delete;
    ~mapped_buffer() {
        p.f.vkDestroyBuffer(p.device, handle, nullptr);
        p.f.vkFreeMemory(p.device, memory, nullptr);
    }
};

}  // namespace

TEST_CASE("a program records kernels into its own command buffer, between its own barriers", "[vulkan]") {
    std::string reason;
    if (!find_vulkan_device(reason)) return skip(reason);
    program p;
    {
        constexpr std::size_t count = 1000, offset = 64;
        mapped_buffer memory(p, count + offset);
        for (std::size_t n = 0; n < count + offset; ++n) memory.numbers[n] = static_cast<float>(n);
        const device d = adopt_vulkan(p.handles());
        CHECK(d.backend() == backend::vulkan);
        CHECK(d.native_handle() == p.device);
        const buffer<float> x = adopt_vulkan_buffer<float>(d, memory.handle, offset * sizeof(float), count);
        CHECK(x.native_handle() == reinterpret_cast<std::uintptr_t>(memory.handle));
        kernel twice{"twice", [](inout<float> y, val<float> a) {
            val i = global_id();
            y[i] = y[i] * a;
        }};

        const VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
        VkCommandPool pool = VK_NULL_HANDLE;
        REQUIRE(p.f.vkCreateCommandPool(p.device, &pool_info, nullptr, &pool) == VK_SUCCESS);
        const VkCommandBufferAllocateInfo buffer_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        VkCommandBuffer commands = VK_NULL_HANDLE;
        REQUIRE(p.f.vkAllocateCommandBuffers(p.device, &buffer_info, &commands) == VK_SUCCESS);
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
        REQUIRE(p.f.vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS);
        record_vulkan(commands, twice, over{count}, x, 3.0f);
        const VkMemoryBarrier between{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
        p.f.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &between, 0, nullptr, 0, nullptr);
        record_vulkan(commands, twice, over{count / 2}, x, 10.0f);
        REQUIRE(p.f.vkEndCommandBuffer(commands) == VK_SUCCESS);
        VkSubmitInfo submit{};
        submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &commands;
        REQUIRE(p.f.vkQueueSubmit(p.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS);
        REQUIRE(p.f.vkDeviceWaitIdle(p.device) == VK_SUCCESS);
        for (std::size_t n = 0; n < offset; ++n) REQUIRE(memory.numbers[n] == static_cast<float>(n));
        for (std::size_t n = 0; n < count; ++n)
            REQUIRE(memory.numbers[offset + n] == static_cast<float>(offset + n) * (n < count / 2 ? 30.0f : 3.0f));

        d.launch(twice, over{count}, x, 0.5f);  // and Quern's own queue on the same device
        CHECK(x.download()[1] == static_cast<float>(offset + 1) * 15.0f);
        p.f.vkDestroyCommandPool(p.device, pool, nullptr);
    }
}

TEST_CASE("adopting says what is missing", "[vulkan]") {
    CHECK_THROWS_AS(adopt_vulkan({}), usage_error);
    std::string reason;
    if (!find_vulkan_device(reason)) return skip(reason);
    kernel none{"none", [](val<float>) {}};
    CHECK_THROWS_AS(record_vulkan(nullptr, none, over{1}, 1.0f), usage_error);
    const device cpu = device::cpu();
    const buffer<float> b = cpu.make_buffer<float>(1);
    CHECK_THROWS_AS(adopt_vulkan_buffer<float>(cpu, std::uint64_t{1}, 0, 1), usage_error);
}
