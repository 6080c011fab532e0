// One cache entry and its bytes, docs/cache.md: a header with a checksum of all that follows, then sections. Entries are
// untrusted input: the reader checks every length and accepts nothing but what write_entry makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace quern::jit {

struct entry {
    std::string manifest;
    std::string kernel;       ///< its name, for people
    std::string device;       ///< the name of the device that it was first compiled for, for people
    std::string target;       ///< the target's name, for people
    backends::artifact code;
    std::vector<std::byte> ir;             ///< the canonical module after the passes, side tables included
    std::vector<backends::stage> stages;   ///< generated source, where there is any
};

/// What lists show, from the front of an entry.
struct entry_summary {
    std::string manifest;
    std::string kernel;
    std::string device;
    std::string target;
};

std::vector<std::byte> write_entry(const entry& e);
/// The entry, or nothing if a byte of it is not as it was written.
std::optional<entry> read_entry(std::span<const std::byte> bytes);
/// From the first summary_bytes of an entry, without its checksum; nothing if they do not hold it.
std::optional<entry_summary> read_summary(std::span<const std::byte> bytes);

inline constexpr std::size_t summary_bytes = 16384;
inline constexpr std::uint32_t entry_version = 1;

}  // namespace quern::jit
