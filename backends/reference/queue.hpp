// The reference queue: commands wait in a list until submit runs them one by one on the calling thread.
#pragma once

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "backends/backend.hpp"

namespace quern::reference {

class queue final : public backends::queue {
public:
    queue() = default;
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
    std::shared_ptr<backends::event> record() override;
    void synchronize() override;

private:
    void release_retained() noexcept;

    std::vector<std::function<void()>> commands_;
    std::vector<std::pair<void*, void (*)(void*) noexcept>> retained_;
    std::exception_ptr failure_;  ///< the first since the last synchronize
};

}  // namespace quern::reference
