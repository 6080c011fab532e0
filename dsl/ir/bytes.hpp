// The wire form of numbers and texts: little-endian base-128 numbers, lengths before texts. The reader trusts nothing.
#pragma once

#include <quern/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern::ir {

class byte_writer {
public:
    void number(std::uint64_t n) {
        for (; n >= 0x80; n >>= 7) bytes_.push_back(static_cast<std::byte>(n | 0x80));
        bytes_.push_back(static_cast<std::byte>(n));
    }
    /// Handles: none is 0, others are shifted by one.
    void handle(std::uint32_t n) { number(std::uint64_t{n + 1u}); }
    void text(std::string_view t) {
        number(t.size());
        for (const char c : t) bytes_.push_back(static_cast<std::byte>(c));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

class byte_reader {
public:
    explicit byte_reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::uint64_t number() {
        std::uint64_t n = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) fail();
            const auto b = static_cast<std::uint64_t>(rest_[0]);
            rest_ = rest_.subspan(1);
            n |= (b & 0x7f) << shift;
            if (b < 0x80) return n;
        }
        fail();
    }
    /// A number below `end`.
    std::uint64_t below(std::uint64_t end) {
        const std::uint64_t n = number();
        if (n >= end) fail();
        return n;
    }
    std::uint32_t u32() { return static_cast<std::uint32_t>(below(std::uint64_t{1} << 32)); }
    std::uint32_t handle() { return static_cast<std::uint32_t>(below((std::uint64_t{1} << 32) + 1)) - 1u; }
    /// An enumerator up to `last`.
    template <class Enum>
    Enum enumerator(Enum last) {
        return static_cast<Enum>(below(static_cast<std::uint64_t>(last) + 1));
    }
    /// The length of a list whose elements take at least one byte each.
    std::size_t count() {
        const std::uint64_t n = number();
        if (n > rest_.size()) fail();
        return static_cast<std::size_t>(n);
    }
    std::string text() {
        const std::size_t size = count();
        std::string t;
        for (std::size_t i = 0; i < size; ++i) t += static_cast<char>(rest_[i]);
        rest_ = rest_.subspan(size);
        return t;
    }
    bool at_end() const { return rest_.empty(); }

    [[noreturn]] static void fail() { throw usage_error("these bytes are no kernel that this version of Quern wrote"); }

private:
    std::span<const std::byte> rest_;
};

/// First number of the form; a change of the form changes it.
inline constexpr std::uint64_t bytes_version = 0x7169'7201;  // "qir", 1

}  // namespace quern::ir
