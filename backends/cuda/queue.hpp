// A queue is a stream: what is encoded is given to the driver at once, in order.
#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "backends/cuda/context.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/reclaimer.hpp"

namespace quern::cuda {

class event final : public backends::event {
public:
    /// Set on the stream.
    event(std::shared_ptr<context> c, stream_handle s, std::shared_ptr<recent_kernels> running);
    ~event() override;

    bool done() const override;
    void wait() override;
    std::uint64_t timestamp_ns() const override;
    event_handle handle() const { return handle_; }

private:
    const std::shared_ptr<context> context_;
    const std::shared_ptr<recent_kernels> running_;
    event_handle handle_ = nullptr;
    std::shared_ptr<context::mark> before_;
};

class queue final : public backends::queue {
public:
    /// A stream of its own.
    explicit queue(std::shared_ptr<context> c);
    /// Somebody else's stream, never destroyed by us; null is the context's default stream.
    queue(std::shared_ptr<context> c, stream_handle adopted);
    /// Waits for its work.
    ~queue() override;

    void encode(const backends::dispatch& d) override;
    void encode_copy(const backends::memory& from, std::uint64_t from_offset, const backends::memory& to,
                     std::uint64_t to_offset, std::uint64_t size_bytes) override;
    void encode_fill(const backends::memory& to, std::uint64_t offset, std::uint64_t size_bytes, std::uint8_t byte) override;
    void encode_upload(std::span<const std::byte> from, const backends::memory& to, std::uint64_t to_offset) override;
    void encode_download(const backends::memory& from, std::uint64_t from_offset, std::span<std::byte> to) override;
    void encode_wait(std::shared_ptr<backends::event> e) override;
    void retain(void* object, void (*release)(void*) noexcept) override;
    void submit() override;
    bool ready() const override;
    std::shared_ptr<backends::event> record() override;
    void synchronize() override;

private:
    enum class ownership : std::uint8_t { owned, adopted };
    queue(std::shared_ptr<context> c, stream_handle s, ownership o);

    const std::shared_ptr<context> context_;
    const stream_handle stream_;
    const ownership ownership_;
    const std::shared_ptr<recent_kernels> running_ = std::make_shared<recent_kernels>();
    staging staging_;
    const std::shared_ptr<retained_work> retained_;
};

}  // namespace quern::cuda
