#include "backends/vulkan/device.hpp"

#include "backends/vulkan/memory.hpp"
#include "backends/vulkan/program.hpp"
#include "backends/vulkan/queue.hpp"

namespace quern::vulkan {

std::unique_ptr<backends::memory> device::allocate(std::size_t size_bytes, backends::memory_kind kind) {
    return vulkan::allocate(context_, size_bytes, kind);
}

std::unique_ptr<backends::memory> device::adopt_memory(std::uint64_t buffer, std::uint64_t offset, std::size_t size_bytes) {
    return std::make_unique<memory>(context_, reinterpret_cast<VkBuffer>(static_cast<std::uintptr_t>(buffer)), offset, size_bytes);
}

bool device::record(void* command_buffer, const backends::dispatch& d) {
    static_cast<const program&>(*d.program).record(static_cast<VkCommandBuffer>(command_buffer), d);
    return true;
}

std::unique_ptr<backends::program> device::load(const backends::artifact& code, const ir::module& m, const backends::compile_options&) {
    return std::make_unique<program>(context_, code, m);
}

std::unique_ptr<backends::queue> device::make_queue() { return std::make_unique<queue>(context_); }

}  // namespace quern::vulkan
