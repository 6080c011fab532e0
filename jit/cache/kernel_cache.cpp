#include "jit/cache/kernel_cache.hpp"

namespace quern::jit {
namespace {

/// Code that is loaded lives in its program; this is for other kernel objects and devices of the same kind.
constexpr std::size_t most_memory_bytes = std::size_t{64} << 20;

std::size_t size_of(const entry& e) {
    std::size_t bytes = e.manifest.size() + e.code.bytes.size() + e.ir.size();
    for (const backends::stage& s : e.stages) bytes += s.text.size();
    return bytes;
}

}  // namespace

std::string cache_folder(const settings& s) {
    if (!s.options.cache_dir.empty()) return s.options.cache_dir;
    const std::string folder = platform::user_cache_folder();
    return folder.empty() ? folder : folder + "/quern";
}

kernel_cache::kernel_cache(const settings& s) {
    if (s.options.cache == cache_mode::off) return;
    const auto warn = [s](const std::string& text) { log(s, log_level::warning, text); };
    const store_access access =
        s.options.cache == cache_mode::read_write ? store_access::read_write : store_access::read_only;
    own_.emplace(cache_folder(s), access, platform::folder_owner::this_user, warn);
    if (!s.options.shared_cache_dir.empty())
        shared_.emplace(s.options.shared_cache_dir, store_access::read_only, platform::folder_owner::this_user_or_root, warn);
}

std::shared_ptr<const entry> kernel_cache::find_in_memory(const cache_key& key, const std::string& manifest) const {
    const auto found = entries_.find(key);
    return found != entries_.end() && found->second->manifest == manifest ? found->second : nullptr;
}

void kernel_cache::keep_in_memory(const cache_key& key, std::shared_ptr<const entry> e) {
    const std::size_t bytes = size_of(*e);
    if (!entries_.emplace(key, std::move(e)).second) return;
    age_.push_back(key);
    for (memory_bytes_ += bytes; memory_bytes_ > most_memory_bytes && age_.size() > 1; age_.pop_front()) {
        const auto oldest = entries_.find(age_.front());
        if (oldest == entries_.end()) continue;  // discarded
        memory_bytes_ -= size_of(*oldest->second);
        entries_.erase(oldest);
    }
}

kernel_cache::result kernel_cache::get(const manifest& m, const std::function<entry()>& compile) {
    if (!own_) {
        entry e = compile();
        const std::scoped_lock lock(mutex_);
        ++counters_.compilations;
        return {std::make_shared<const entry>(std::move(e)), cache_source::compiler};
    }
    const cache_key key = m.key();
    std::unique_lock lock(mutex_);
    built_.wait(lock, [&] { return !building_.contains(key); });
    if (auto e = find_in_memory(key, m.text())) {
        ++counters_.memory_hits;
        return {std::move(e), cache_source::memory};
    }
    // Whoever ends up here does the work; the others wait, and look again when it is done or has failed.
    building_.emplace(key, 0);
    struct builder {
        kernel_cache& cache;
        const cache_key& key;
        std::unique_lock<std::mutex>& lock;
        ~builder() {
            if (!lock.owns_lock()) lock.lock();
            cache.building_.erase(key);
            cache.built_.notify_all();
        }
    } done{*this, key, lock};
    lock.unlock();

    cache_source source = cache_source::compiler;
    std::optional<entry> e;
    {
        const std::scoped_lock disk(disk_mutex_);
        if ((e = own_->load(key, m.text()))) source = cache_source::disk;
        else if (shared_ && (e = shared_->load(key, m.text()))) source = cache_source::shared_folder;
    }
    if (!e) {
        e = compile();
        e->manifest = m.text();
        const std::scoped_lock disk(disk_mutex_);
        own_->store(key, *e);
    }
    auto shared = std::make_shared<const entry>(std::move(*e));
    lock.lock();
    ++(source == cache_source::compiler ? counters_.compilations : counters_.disk_hits);
    keep_in_memory(key, shared);
    return {std::move(shared), source};
}

void kernel_cache::discard(const cache_key& key) {
    {
        const std::scoped_lock lock(mutex_);
        if (const auto found = entries_.find(key); found != entries_.end()) {
            memory_bytes_ -= size_of(*found->second);
            entries_.erase(found);
        }
    }
    const std::scoped_lock disk(disk_mutex_);
    if (own_) own_->erase(key);
}

cache_counters kernel_cache::counters() const {
    const std::scoped_lock lock(mutex_);
    return counters_;
}

}  // namespace quern::jit
