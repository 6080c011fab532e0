// One entry of a queue: what to do, and the references that are dropped once it is done. Fixed size, reused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "backends/backend.hpp"
#include "backends/cpu/codegen_abi.hpp"

namespace quern::cpu {

class event;
class program;
class scheduler;

/// A reference that a command holds.
struct retained_object {
    void* object;
    void (*release)(void*) noexcept;
};

class command {
public:
    /// These fill an empty command. Only what does not fit in its inline storage is allocated.
    void set_dispatch(const backends::dispatch& d);
    void set_copy(const std::byte* from, std::byte* to, std::size_t size_bytes);
    void set_fill(std::byte* to, std::size_t size_bytes, std::uint8_t byte);
    void set_upload(std::span<const std::byte> from, std::byte* to);
    void set_wait(std::shared_ptr<event> e);
    void set_signal(std::shared_ptr<event> e);

    /// False if there is no room; an empty command without an action has room.
    bool retain(retained_object r) noexcept;

    /// Does it, on the calling thread and the scheduler's. Throws device_error.
    void run(scheduler* s, std::uint32_t threads);
    /// Drops the references; the command is empty afterwards.
    void clear() noexcept;

private:
    enum class action : std::uint8_t { none, dispatch, copy, fill, wait, signal };
    static constexpr std::size_t inline_bytes = 512;
    static constexpr std::size_t most_retained = 10;

    /// `size_bytes` aligned to 64, inline if they fit.
    std::byte* reserve(std::size_t size_bytes);

    action action_ = action::none;
    std::uint8_t byte_ = 0;
    std::uint32_t retained_count_ = 0;
    const cpu::program* program_ = nullptr;
    quern_cpu_launch launch_{};
    const std::byte* from_ = nullptr;
    std::byte* to_ = nullptr;
    std::size_t size_bytes_ = 0;
    std::shared_ptr<cpu::event> event_;
    std::unique_ptr<std::byte[]> heap_;
    std::array<retained_object, most_retained> retained_{};
    alignas(64) std::array<std::byte, inline_bytes> inline_;
};

}  // namespace quern::cpu
