#include "backends/cpu/device.hpp"

#include "backends/cpu/memory.hpp"
#include "backends/cpu/program.hpp"
#include "backends/cpu/queue.hpp"
#include "backends/cpu/scheduler.hpp"
#include "backends/cpu/target.hpp"

namespace quern::cpu {
namespace {

class device final : public backends::device {
public:
    explicit device(const backends::open_options& options) : target_(host_target(options.lanes)) {
        if (options.threads != 0) target_.info.compute_units = options.threads;
        if (options.inline_execution) target_.info.compute_units = 1;
        else scheduler_ = make_scheduler(target_.info.compute_units);
    }

    const backends::target& target() const override { return target_; }
    std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, backends::memory_kind) override {
        return cpu::allocate(size_bytes, target_.info.memory_bytes);
    }
    std::unique_ptr<backends::memory> wrap(std::span<std::byte> host) override { return cpu::wrap(host); }
    std::unique_ptr<backends::program> load(const backends::artifact& code, const ir::module& m,
                                            const backends::compile_options& o) override {
        return std::make_unique<program>(code, m, o);
    }
    std::unique_ptr<backends::queue> make_queue() override {
        return std::make_unique<queue>(scheduler_, target_.info.compute_units);
    }
    void* native_handle() override { return nullptr; }

private:
    backends::target target_;
    std::shared_ptr<scheduler> scheduler_;
};

}  // namespace

std::unique_ptr<backends::device> open_device(const backends::open_options& options) {
    return std::make_unique<device>(options);
}

}  // namespace quern::cpu
