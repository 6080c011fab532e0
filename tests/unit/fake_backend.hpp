// A backend whose devices compute nothing and remember everything: what was compiled, dispatched and released.
#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.hpp"

namespace quern::test {

struct fake_dispatch {
    std::vector<std::uint64_t> counts;
    std::vector<std::byte> values;
    std::array<std::uint64_t, 3> extent;
    std::array<std::uint64_t, 3> groups;
};

/// What all devices of one fake backend share with the test.
struct fake_record {
    std::atomic<int> compiled{0};
    std::atomic<int> opened{0};
    std::atomic<int> live_memories{0};
    std::atomic<int> live_queues{0};
    std::vector<fake_dispatch> dispatches;
    std::function<void()> on_compile = [] {};
    int refused_loads = 0;      ///< so many loads fail
    std::string failure;        ///< if set, the next submit fails with it, asynchronously
    bool holds_work = false;    ///< if set, submitted work is not done (and keeps its references) until synchronize
};

class fake_memory final : public backends::memory {
public:
    fake_memory(fake_record& r, std::size_t size, bool is_mapped) : record_(r), bytes(size, std::byte{0xaa}) {
        size_bytes = size;
        address = reinterpret_cast<std::uintptr_t>(bytes.data());
        if (is_mapped) mapped = bytes.data();
        ++record_.live_memories;
    }
    ~fake_memory() override { --record_.live_memories; }

private:
    fake_record& record_;

public:
    std::vector<std::byte> bytes;
};

class fake_event final : public backends::event {
public:
    bool done() const override { return true; }
    void wait() override {}
    std::uint64_t timestamp_ns() const override { return 0; }
};

class fake_queue final : public backends::queue {
public:
    explicit fake_queue(fake_record& r) : record_(r) { ++record_.live_queues; }
    ~fake_queue() override {
        finish();
        --record_.live_queues;
    }

    void encode(const backends::dispatch& d) override {
        fake_dispatch copy{{}, {d.values.begin(), d.values.end()}, d.extent, d.groups};
        for (const backends::buffer_argument& b : d.buffers) copy.counts.push_back(b.count);
        record_.dispatches.push_back(std::move(copy));
    }
    void encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                     std::uint64_t to_offset, std::uint64_t size_bytes) override {
        work_.push_back([=, source = bytes_of(from), target = bytes_of(to)] {
            std::memcpy(target + to_offset, source + from_offset, size_bytes);
        });
    }
    void encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes,
                     std::uint8_t byte) override {
        work_.push_back([=, target = bytes_of(to)] { std::memset(target + offset, byte, size_bytes); });
    }
    void encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) override {
        work_.push_back([staged = std::vector<std::byte>(from.begin(), from.end()), target = bytes_of(to) + to_offset] {
            std::memcpy(target, staged.data(), staged.size());
        });
    }
    void encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) override {
        work_.push_back([=, source = bytes_of(from)] { std::memcpy(to.data(), source + from_offset, to.size()); });
    }
    void encode_wait(std::shared_ptr<backends::event>) override {}
    void retain(void* object, void (*release)(void*) noexcept) override { retained_.emplace_back(object, release); }
    void submit() override {
        if (!record_.failure.empty()) failure_ = std::exchange(record_.failure, {});
        if (!record_.holds_work) finish();
    }
    std::shared_ptr<backends::event> record() override { return std::make_shared<fake_event>(); }
    void synchronize() override {
        finish();
        if (!failure_.empty()) throw device_error(std::exchange(failure_, {}));
    }

private:
    static std::byte* bytes_of(const backends::memory& m) {
        return const_cast<std::byte*>(static_cast<const fake_memory&>(m).bytes.data());
    }
    void finish() {
        for (const auto& step : std::exchange(work_, {})) step();
        for (const auto& [object, release] : std::exchange(retained_, {})) release(object);
    }

    fake_record& record_;
    std::vector<std::function<void()>> work_;
    std::vector<std::pair<void*, void (*)(void*) noexcept>> retained_;
    std::string failure_;
};

class fake_device final : public backends::device {
public:
    fake_device(fake_record& r, backends::target t, bool is_mapped)
        : record_(r), target_(std::move(t)), is_mapped_(is_mapped) {
        ++record_.opened;
    }
    const backends::target& target() const override { return target_; }
    std::unique_ptr<backends::memory> allocate(std::size_t size_bytes, backends::memory_kind kind) override {
        if (size_bytes > target_.info.memory_bytes) throw device_error("fake: out of memory");
        return std::make_unique<fake_memory>(record_, size_bytes,
                                             is_mapped_ || kind == backends::memory_kind::host_visible);
    }
    std::unique_ptr<backends::memory> wrap(std::span<std::byte> host) override {
        if (!is_mapped_) return nullptr;
        auto m = std::make_unique<backends::memory>();
        m->size_bytes = host.size();
        m->mapped = host.data();
        return m;
    }
    std::unique_ptr<backends::program> load(const backends::artifact&, const ir::module&,
                                            const backends::compile_options&) override {
        if (record_.refused_loads > 0 && record_.refused_loads-- > 0) throw device_error("the driver refuses the code");
        return std::make_unique<backends::program>();
    }
    std::unique_ptr<backends::queue> make_queue() override { return std::make_unique<fake_queue>(record_); }
    void* native_handle() override { return this; }

private:
    fake_record& record_;
    backends::target target_;
    bool is_mapped_;
};

/// Devices "<name>:0" (rank 3, host memory), "<name>:1" (rank 0, memory that the host cannot reach) and "<name>:2"
/// (not listed).
class fake_backend final : public backends::backend {
public:
    explicit fake_backend(std::string name) : name_(std::move(name)) {}

    std::string_view name() const override { return name_; }
    std::vector<backends::device_description> enumerate(std::string&) override {
        ++enumerated;
        return {{name_ + ":0", "first", 3, true}, {name_ + ":1", "second", 0, true}, {name_ + ":2", "third", 5, false}};
    }
    std::unique_ptr<backends::device> open(std::string_view id, const backends::open_options&) override {
        backends::target t;
        t.name = t.info.name = id;
        t.info.max_workgroup_size = 256;
        t.info.shared_memory_bytes = 4096;
        t.info.memory_bytes = 1u << 20;
        return std::make_unique<fake_device>(record, std::move(t), !id.ends_with("1"));
    }
    backends::target find_target(std::string_view) override { return {}; }
    backends::artifact compile(const ir::module&, const backends::target&, const backends::compile_options&) override {
        ++record.compiled;
        record.on_compile();
        return {{}, "fake", {}};
    }
    std::vector<backends::stage> inspect(const ir::module&, const backends::target&,
                                         const backends::compile_options&) override {
        return {};
    }

    fake_record record;
    int enumerated = 0;

private:
    std::string name_;
};

}  // namespace quern::test
