// Validation layers are really there, and silent about everything that is not planted.
#include <catch2/catch.hpp>

#include "backends/registry.hpp"
#include "backends/spirv/emitter.hpp"
#include "backends/vulkan/loader.hpp"
#include "backends/vulkan/vulkan.hpp"
#include "dsl/ir/text.hpp"
#include "tests/device/vulkan/vulkan_device.hpp"

using namespace quern;
using namespace quern::tests;
using Catch::Matchers::Contains;

TEST_CASE("validation layers report a planted invalid command", "[vulkan]") {
    std::string reason;
    if (!find_vulkan_device(reason)) return skip(reason);
    if (!vulkan::validation().is_active) return skip("no VK_LAYER_KHRONOS_validation");
    const auto d = backends::find("vulkan")->open("vulkan:0", {});
    const std::shared_ptr<vulkan::context> c = vulkan::context_of(*d);
    const vulkan::planted_error planted;
    VkCommandPool pool = VK_NULL_HANDLE;
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, c->physical->family};
    REQUIRE(c->functions.vkCreateCommandPool(c->device, &info, nullptr, &pool) == VK_SUCCESS);
    const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    REQUIRE(c->functions.vkAllocateCommandBuffers(c->device, &one, &commands) == VK_SUCCESS);
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
    REQUIRE(c->functions.vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS);
    c->functions.vkCmdDispatch(commands, 1, 1, 1);  // no pipeline is bound
    c->functions.vkEndCommandBuffer(commands);
    c->functions.vkDestroyCommandPool(c->device, pool, nullptr);
    CHECK(planted.seen() > 0);
}

TEST_CASE("SPIRV-Tools rejects a module that was spoilt", "[vulkan]") {
    const ir::module m = ir::parse("kernel \"one\" over math contract {\n  buffer out %y: f32\n  %i = global_id.x : u32\n  store %y[%i], 1f32\n}\n");
    spirv::features f;
    f.addresses = f.int64 = f.memory_model = true;
    std::vector<spirv::word> words = spirv::write_module(m, f, spirv::debug_lines::omit);
    CHECK(spirv::validation_errors(words) == "");
    words[3] = 2;  // the bound
    CHECK(spirv::validation_errors(words) != "");
}

TEST_CASE("kernels compile for a Vulkan that is not here, and show their SPIR-V", "[vulkan]") {
    kernel saxpy{"saxpy", [](inout<float> y, in<float> x, val<float> a) {
        val i = global_id();
        y[i] = a * x[i] + y[i];
    }};
    const artifact a = saxpy.compile_for("vulkan:1.3");
    CHECK(a.format == "spirv");
    REQUIRE(a.bytes.size() > 20);
    CHECK(static_cast<unsigned>(a.bytes[0]) == 0x03);  // SPIR-V's magic number, little-endian
    CHECK(static_cast<unsigned>(a.bytes[3]) == 0x07);
    std::string reason;
    const auto gpu = find_vulkan_device(reason);
    if (!gpu) return skip(reason);
    const std::string text = saxpy.inspect(*gpu).spirv;
    CHECK_THAT(text, Contains("OpEntryPoint GLCompute") && Contains("OpFMul") && Contains("OpLine"));
    CHECK_THAT(text, !Contains("NoContraction") && !Contains("Float64"));
}

TEST_CASE("what a Vulkan device lacks is refused with op, type and kernel before any code is written", "[vulkan]") {
    const ir::module m = ir::parse("kernel \"halves\" over math contract {\n  buffer out %y: f64\n  %i = global_id.x : u32\n  store %y[%i], 1f64\n}\n");
    spirv::features f;
    f.addresses = f.int64 = true;
    CHECK_THROWS_WITH(spirv::write_module(m, f, spirv::debug_lines::omit), Contains("halves") && Contains("f64") && Contains("double precision"));
}

TEST_CASE("a lost device is a device_error, and a new device object works", "[vulkan]") {
    std::string reason;
    if (!find_vulkan_device(reason)) return skip(reason);
    backends::backend& b = *backends::find("vulkan");
    const auto broken = b.open("vulkan:0", {});
    const std::shared_ptr<vulkan::context> c = vulkan::context_of(*broken);
    {
        const auto memory = broken->allocate(64, backends::memory_kind::device);
        const auto queue = broken->make_queue();
        // The seam: the table's own entry, as a driver that has lost its device would answer.
        const auto real = c->functions.vkQueueSubmit;
        c->functions.vkQueueSubmit = [](VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_ERROR_DEVICE_LOST; };
        queue->encode_fill(*memory, 0, 64, 1);
        queue->submit();
        CHECK_THROWS_WITH(queue->synchronize(), Contains("VK_ERROR_DEVICE_LOST") && Contains("lost"));
        CHECK_FALSE(queue->ready());
        c->functions.vkQueueSubmit = real;
    }
    const auto fresh = b.open("vulkan:0", {});
    const auto memory = fresh->allocate(64, backends::memory_kind::device);
    const auto queue = fresh->make_queue();
    std::vector<std::byte> got(64);
    queue->encode_fill(*memory, 1, 62, 0x5a);
    queue->encode_download(*memory, 0, got);
    queue->submit();
    queue->synchronize();
    for (std::size_t i = 1; i < 63; ++i) REQUIRE(got[i] == std::byte{0x5a});
}
