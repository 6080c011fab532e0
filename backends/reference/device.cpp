#include "backends/reference/device.hpp"

#include <new>

#include <fmt/format.h>

#include "backends/reference/queue.hpp"
#include "dsl/ir/canonical.hpp"
#include "platform/system_memory.hpp"

namespace quern::reference {
namespace {

constexpr std::uint32_t default_lanes = 8;
constexpr std::align_val_t alignment{64};

/// Owned host memory, or the caller's where `owned` is null.
class host_memory final : public backends::memory {
public:
    explicit host_memory(std::size_t size) : owned_(::operator new(size, alignment)) {
        use({static_cast<std::byte*>(owned_), size});
    }
    explicit host_memory(std::span<std::byte> wrapped) { use(wrapped); }
    ~host_memory() override {
        if (owned_ != nullptr) ::operator delete(owned_, alignment);
    }

private:
    void use(std::span<std::byte> bytes) {
        size_bytes = bytes.size();
        mapped = bytes.data();
        address = reinterpret_cast<std::uintptr_t>(bytes.data());
    }

    void* owned_ = nullptr;
};

class device final : public backends::device {
public:
    explicit device(const backends::open_options& options) : target_(make_target(options)) {}

    const backends::target& target() const override { return target_; }

    std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, backends::memory_kind) override {
        const std::size_t budget = target_.info.memory_bytes;
        if (size_bytes > budget)
            throw device_error(fmt::format("a buffer of {} bytes is larger than the memory of device 'reference', {} bytes",
                                           size_bytes, budget));
        try {
            return std::make_unique<host_memory>(size_bytes);
        } catch (const std::bad_alloc&) {
            throw device_error(fmt::format("device 'reference' has no memory left for a buffer of {} bytes", size_bytes));
        }
    }

    std::unique_ptr<backends::memory> wrap(std::span<std::byte> host) override {
        return std::make_unique<host_memory>(host);
    }

    std::unique_ptr<backends::program> load(const backends::artifact& code, const ir::module&,
                                            const backends::compile_options& o) override {
        const std::uint32_t lanes = o.lanes != 0 ? o.lanes : target_.info.subgroup_size;
        return std::make_unique<program>(ir::from_bytes(code.bytes), lanes);
    }

    std::unique_ptr<backends::queue> make_queue() override { return std::make_unique<queue>(); }
    void* native_handle() override { return nullptr; }

private:
    const backends::target target_;
};

}  // namespace

backends::target make_target(const backends::open_options& options) {
    backends::target t;
    t.name = "reference";
    t.info.backend = backend::reference;
    t.info.name = "reference interpreter";
    t.info.vendor = "Quern";
    t.info.subgroup_size = options.lanes != 0 ? options.lanes : default_lanes;
    t.info.shared_memory_bytes = std::size_t{1} << 20;
    t.info.max_workgroup_size = 1024;
    t.info.compute_units = 1;
    t.info.memory_bytes = platform::memory_limit_bytes();
    for (const feature f : {feature::int8, feature::int16, feature::int64, feature::half, feature::bfloat16,
                            feature::float64, feature::atomic_int64, feature::atomic_float, feature::subgroups,
                            feature::device_fence, feature::workgroup_progress, feature::denormals})
        t.info.features |= std::uint32_t{1} << static_cast<unsigned>(f);
    return t;
}

std::unique_ptr<backends::device> make_device(const backends::open_options& options) {
    return std::make_unique<device>(options);
}

}  // namespace quern::reference
