// Entries as files of one folder, shared with other processes without locks: an entry is written under a name of its
// own and renamed into place. Every failure is a miss for the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jit/cache/entry.hpp"
#include "jit/cache/manifest.hpp"
#include "platform/folder.hpp"

namespace quern::jit {

enum class store_access : std::uint8_t { read_write, read_only };

/// One file of the folder that is an entry by its name.
struct stored_entry {
    cache_key key;
    std::uint64_t size_bytes = 0;
    std::int64_t last_used_s = 0;  ///< seconds since 1970
    std::optional<entry_summary> summary;  ///< nothing if its front is damaged
};

struct sweep_result {
    std::size_t removed = 0;
    std::uint64_t removed_bytes = 0;
};

class disk_store {
public:
    /// Told at most once, when something goes wrong; after that the store is off.
    using warning = std::function<void(const std::string&)>;

    static constexpr std::uint64_t default_size_limit_bytes = std::uint64_t{1} << 30;

    disk_store(std::string path, store_access access, platform::folder_owner owner, warning warn,
               std::uint64_t size_limit_bytes = default_size_limit_bytes);

    /// The entry if it is there, whole, and has this very manifest. A damaged one is removed.
    std::optional<entry> load(const cache_key& key, const std::string& manifest);
    /// Whole and as written, whatever its manifest. Never removes.
    std::optional<entry> look_at(const cache_key& key);
    void store(const cache_key& key, const entry& e);

    std::vector<stored_entry> list();
    bool erase(const cache_key& key);
    /// Removes what was used least recently until at most `size_limit_bytes` are left, and old temporaries.
    sweep_result prune(std::uint64_t size_limit_bytes);
    /// Removes every entry for which `which` holds.
    sweep_result clear(const std::function<bool(const stored_entry&)>& which);

    const std::string& path() const { return path_; }
    bool is_usable() const { return !off_; }
    /// Why it is off; empty while it is not.
    const std::string& reason() const { return reason_; }

private:
    bool open();
    void turn_off(const std::string& reason);
    std::optional<entry> read(const cache_key& key, platform::file_status& status, std::int64_t& stamp_s);

    std::string path_;
    store_access access_;
    platform::folder_owner owner_;
    warning warn_;
    std::uint64_t size_limit_bytes_;
    platform::folder folder_;
    bool off_ = false;
    std::string reason_;
    std::uint64_t written_bytes_ = 0;  ///< since the folder was last pruned
    bool pruned_ = false;
};

}  // namespace quern::jit
