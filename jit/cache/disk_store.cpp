#include "jit/cache/disk_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace quern::jit {
namespace {

constexpr std::string_view suffix = ".quern";
constexpr std::string_view temporary_prefix = ".writing-";
/// Larger files are not ours.
constexpr std::size_t most_bytes = std::size_t{1} << 29;
/// A stamp is renewed only when it has aged, so that hits seldom write.
constexpr std::int64_t stamp_age_s = 3600;
/// What a writer that was killed has left behind; nobody writes for so long.
constexpr std::int64_t stale_age_s = 3600;

std::string file_name(const cache_key& key) { return key + std::string(suffix); }

std::optional<cache_key> key_of(std::string_view name) {
    if (!name.ends_with(suffix)) return std::nullopt;
    name.remove_suffix(suffix.size());
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (name.size() != 32 || !std::ranges::all_of(name, is_digit)) return std::nullopt;
    return cache_key(name);
}

std::string temporary_name() {
    static std::atomic<std::uint64_t> next{0};
    return fmt::format("{}{}-{}", temporary_prefix, platform::process_number(), next++);
}

/// Clocks of machines that share a folder differ: a stamp of the future counts as aged too when it is far off.
bool is_older(std::int64_t stamp_s, std::int64_t age_s) {
    const std::int64_t age = platform::now_s() - stamp_s;
    return age > age_s || age < -age_s;
}

}  // namespace

disk_store::disk_store(std::string path, store_access access, platform::folder_owner owner, warning warn,
                       std::uint64_t size_limit_bytes)
    : path_(std::move(path)), access_(access), owner_(owner), warn_(std::move(warn)), size_limit_bytes_(size_limit_bytes) {
    if (path_.empty()) turn_off("there is no folder for it: neither XDG_CACHE_HOME nor HOME is set");
}

void disk_store::turn_off(const std::string& reason) {
    if (off_) return;
    off_ = true;
    reason_ = reason;
    if (warn_)
        warn_(path_.empty() ? fmt::format("kernels are not kept on disk: {}", reason)
                            : fmt::format("kernels are not kept in {}: {}", path_, reason));
}

bool disk_store::open() {
    if (off_) return false;
    if (folder_.is_open()) return true;
    using absence = platform::folder::absence;
    std::string refusal;
    const platform::file_status status =
        folder_.open(path_, owner_, access_ == store_access::read_write ? absence::create : absence::leave, refusal);
    if (status.ok()) return true;
    if (!refusal.empty()) {
        turn_off(refusal + ", and what lies there would be run as code");
    } else if (access_ == store_access::read_write || !status.is_absent()) {
        turn_off(status.message());
    }
    return false;
}

std::optional<entry> disk_store::read(const cache_key& key, platform::file_status& status, std::int64_t& stamp_s) {
    std::vector<std::byte> bytes;
    status = folder_.read(file_name(key), most_bytes, bytes, stamp_s);
    return status.ok() ? read_entry(bytes) : std::nullopt;
}

std::optional<entry> disk_store::load(const cache_key& key, const std::string& manifest) {
    if (!open()) return std::nullopt;
    platform::file_status status;
    std::int64_t stamp_s = 0;
    std::optional<entry> e = read(key, status, stamp_s);
    if (!status.ok()) {
        if (!status.is_absent()) turn_off(status.message());
        return std::nullopt;
    }
    if (!e) {
        if (access_ == store_access::read_write) static_cast<void>(folder_.remove(file_name(key)));
        return std::nullopt;
    }
    if (e->manifest != manifest) return std::nullopt;
    if (access_ == store_access::read_write && is_older(stamp_s, stamp_age_s))
        static_cast<void>(folder_.stamp(file_name(key)));
    return e;
}

std::optional<entry> disk_store::look_at(const cache_key& key) {
    if (!open()) return std::nullopt;
    platform::file_status status;
    std::int64_t stamp_s = 0;
    return read(key, status, stamp_s);
}

void disk_store::store(const cache_key& key, const entry& e) {
    if (access_ == store_access::read_only || !open()) return;
    const std::vector<std::byte> bytes = write_entry(e);
    const std::string temporary = temporary_name();
    platform::file_status status = folder_.write_new(temporary, bytes);
    if (status.is_absent()) {  // the folder was removed meanwhile
        folder_ = {};
        if (!open()) return;
        status = folder_.write_new(temporary, bytes);
    }
    if (status.ok()) status = folder_.rename(temporary, file_name(key));
    if (!status.ok()) {
        static_cast<void>(folder_.remove(temporary));
        turn_off(status.message());
        return;
    }
    written_bytes_ += bytes.size();
    if (!pruned_ || written_bytes_ > size_limit_bytes_ / 16) prune(size_limit_bytes_);
}

std::vector<stored_entry> disk_store::list() {
    std::vector<stored_entry> all;
    if (!open()) return all;
    std::vector<platform::file_facts> files;
    if (const platform::file_status status = folder_.list(files); !status.ok()) return all;
    std::vector<std::byte> front;
    for (const platform::file_facts& f : files) {
        const std::optional<cache_key> key = key_of(f.name);
        if (!key) continue;
        std::int64_t stamp_s = 0;
        const platform::file_status status = folder_.read(f.name, summary_bytes, front, stamp_s);
        if (status.is_absent()) continue;
        all.push_back({*key, f.size_bytes, f.stamp_s, status.ok() ? read_summary(front) : std::nullopt});
    }
    std::ranges::sort(all, [](const stored_entry& a, const stored_entry& b) {
        return a.last_used_s != b.last_used_s ? a.last_used_s > b.last_used_s : a.key < b.key;
    });
    return all;
}

bool disk_store::erase(const cache_key& key) { return open() && folder_.remove(file_name(key)).ok(); }

sweep_result disk_store::prune(std::uint64_t size_limit_bytes) {
    sweep_result result;
    if (!open()) return result;
    std::vector<platform::file_facts> files;
    if (!folder_.list(files).ok()) return result;
    pruned_ = true;
    written_bytes_ = 0;
    const auto remove = [&](const platform::file_facts& f) {
        if (!folder_.remove(f.name).ok()) return false;
        ++result.removed;
        result.removed_bytes += f.size_bytes;
        return true;
    };
    std::uint64_t total = 0;
    std::erase_if(files, [&](const platform::file_facts& f) {
        if (f.name.starts_with(temporary_prefix) && is_older(f.stamp_s, stale_age_s)) remove(f);
        if (!key_of(f.name)) return true;
        total += f.size_bytes;
        return false;
    });
    std::ranges::sort(files, {}, &platform::file_facts::stamp_s);
    for (const platform::file_facts& f : files) {
        if (total <= size_limit_bytes) break;
        if (remove(f)) total -= f.size_bytes;
    }
    return result;
}

sweep_result disk_store::clear(const std::function<bool(const stored_entry&)>& which) {
    sweep_result result;
    for (const stored_entry& e : list()) {
        if (!which(e) || !erase(e.key)) continue;
        ++result.removed;
        result.removed_bytes += e.size_bytes;
    }
    return result;
}

}  // namespace quern::jit
