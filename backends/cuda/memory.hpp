// Memory of a CUDA device: its own, pinned memory of the host's, or somebody else's.
#pragma once

#include <memory>

#include "backends/backend.hpp"
#include "backends/cuda/context.hpp"

namespace quern::cuda {

/// Throws device_error that says how much is free; the device still works.
std::unique_ptr<backends::memory> allocate(const std::shared_ptr<context>& c, std::size_t size_bytes, backends::memory_kind kind);
/// Never freed by us.
std::unique_ptr<backends::memory> adopt_memory(std::uint64_t address, std::size_t size_bytes);

/// Pinned memory through which uploads pass: filled, copied from, and filled again when the copies are done.
class staging {
public:
    explicit staging(std::shared_ptr<context> c) : context_(std::move(c)) {}
    staging(const staging&) = delete;
    staging& operator=(const staging&) = delete;
    ~staging();

    /// The bytes are read before it returns; waits for the device only when all chunks are on their way.
    void upload(std::span<const std::byte> from, device_pointer to, stream_handle s);

private:
    static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
    struct chunk {
        std::byte* bytes = nullptr;
        std::size_t used = 0;
        event_handle left = nullptr;  ///< set when the next chunk was turned to
        bool is_left = false;
    };

    chunk& with_room(std::size_t wanted, stream_handle s);

    const std::shared_ptr<context> context_;
    std::array<chunk, 4> chunks_;
    std::size_t current_ = 0;
};

}  // namespace quern::cuda
