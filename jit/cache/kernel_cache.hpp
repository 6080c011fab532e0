// Compiled kernels by what they were compiled from: in memory, then on disk, then compiled, once however many threads
// of this process ask.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "jit/cache/disk_store.hpp"
#include "jit/runtime/settings.hpp"

namespace quern::jit {

/// Where an entry came from.
enum class cache_source : std::uint8_t { memory, disk, shared_folder, compiler };

struct cache_counters {
    std::uint64_t memory_hits = 0;
    std::uint64_t disk_hits = 0;  ///< of either folder
    std::uint64_t compilations = 0;
};

class kernel_cache {
public:
    struct result {
        std::shared_ptr<const entry> code;
        cache_source source;
    };

    /// The folders and the mode come from the settings.
    explicit kernel_cache(const settings& s);

    /// The entry for `m`, from `compile` if nobody has it. What `compile` throws reaches the one who asked; another
    /// thread that waited for it compiles itself.
    result get(const manifest& m, const std::function<entry()>& compile);
    /// Forgets and removes an entry that a driver refused.
    void discard(const cache_key& key);

    cache_counters counters() const;

private:
    std::shared_ptr<const entry> find_in_memory(const cache_key& key, const std::string& manifest) const;
    void keep_in_memory(const cache_key& key, std::shared_ptr<const entry> e);

    std::optional<disk_store> own_;     ///< absent: the cache is off, in memory too
    std::optional<disk_store> shared_;
    mutable std::mutex mutex_;         ///< everything below
    std::mutex disk_mutex_;            ///< the stores
    std::condition_variable built_;
    std::unordered_map<cache_key, std::shared_ptr<const entry>> entries_;
    std::deque<cache_key> age_;        ///< oldest first
    std::size_t memory_bytes_ = 0;
    std::unordered_map<cache_key, int> building_;
    cache_counters counters_;
};

/// The folder that the settings name, or the user's cache folder's "quern"; empty if there is none.
std::string cache_folder(const settings& s);

}  // namespace quern::jit
