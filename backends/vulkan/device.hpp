// An open device: memory, programs and queues of one context.
#pragma once

#include "backends/vulkan/context.hpp"

namespace quern::vulkan {

class device final : public backends::device {
public:
    explicit device(std::shared_ptr<vulkan::context> c) : context_(std::move(c)) {}

    const backends::target& target() const override { return context_->physical->target; }
    std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, backends::memory_kind kind) override;
    std::unique_ptr<backends::memory> wrap(std::span<std::byte>) override { return nullptr; }
    std::unique_ptr<backends::memory> adopt_memory(std::uint64_t buffer, std::uint64_t offset, std::size_t size_bytes) override;
    bool record(void* command_buffer, const backends::dispatch& d) override;
    std::unique_ptr<backends::program> load(const backends::artifact& code, const ir::module& m,
                                            const backends::compile_options& o) override;
    std::unique_ptr<backends::queue> make_queue() override;
    void* native_handle() override { return context_->device; }

    const std::shared_ptr<vulkan::context>& context() const { return context_; }

private:
    std::shared_ptr<vulkan::context> context_;
};

}  // namespace quern::vulkan
