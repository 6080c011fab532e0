// The kernel cache: entries that are damaged in any way are misses, folders that others control are refused, and
// nothing is compiled twice.
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "jit/cache/disk_store.hpp"
#include "jit/cache/entry.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "jit/cache/manifest.hpp"
#include "tests/unit/fake_runtime.hpp"

namespace {

using namespace quern;
using namespace quern::jit;
namespace fs = std::filesystem;

/// A folder of this test's own, removed at its end.
class scratch_folder {
public:
    scratch_folder() {
        std::string pattern = (fs::temp_directory_path() / "quern-cache-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

entry make_entry(const std::string& manifest, std::size_t code_bytes = 300) {
    entry e;
    e.manifest = manifest;
    e.kernel = "saxpy";
    e.device = "a device";
    e.target = "cpu";
    e.code.format = "elf";
    e.code.log = "nothing to say";
    for (std::size_t i = 0; i < code_bytes; ++i) e.code.bytes.push_back(static_cast<std::byte>(i * 7));
    e.ir = {std::byte{1}, std::byte{0}, std::byte{2}};
    e.stages = {{"cuda", "__global__"}, {"empty", ""}};
    return e;
}

bool equal(const entry& a, const entry& b) {
    const auto stages = [](const entry& e) {
        std::string all;
        for (const backends::stage& s : e.stages) all += s.name + '\1' + s.text + '\2';
        return all;
    };
    return a.manifest == b.manifest && a.kernel == b.kernel && a.device == b.device && a.target == b.target &&
           a.code.bytes == b.code.bytes && a.code.format == b.code.format && a.code.log == b.code.log && a.ir == b.ir &&
           stages(a) == stages(b);
}

std::string key_of(const std::string& text) {
    manifest m;
    m.add("test", text);
    return m.key();
}

struct store_at {
    explicit store_at(const std::string& path, store_access access = store_access::read_write,
                      std::uint64_t limit = disk_store::default_size_limit_bytes)
        : store(path, access, platform::folder_owner::this_user, [this](const std::string& w) { warnings.push_back(w); }, limit) {}
    std::vector<std::string> warnings;
    disk_store store;
};

std::size_t files_in(const std::string& path) {
    std::error_code ignored;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path, ignored), fs::directory_iterator()));
}

void set_stamp(const std::string& path, std::int64_t seconds_ago) {
    const auto when = static_cast<std::time_t>(platform::now_s() - seconds_ago);
    const utimbuf times{when, when};
    REQUIRE(::utime(path.c_str(), &times) == 0);
}

}  // namespace

TEST_CASE("an entry is read as it was written", "[cache]") {
    const entry e = make_entry("quern 1\nlanes 8\n");
    const auto read = read_entry(write_entry(e));
    REQUIRE(read);
    CHECK(equal(*read, e));
    const auto summary = read_summary(write_entry(e));
    REQUIRE(summary);
    CHECK(summary->kernel == "saxpy");
    CHECK(summary->manifest == e.manifest);
    CHECK(equal(*read_entry(write_entry(entry{})), entry{}));
}

TEST_CASE("an entry with any bit changed, cut at any length or prolonged is none", "[cache]") {
    const std::vector<std::byte> whole = write_entry(make_entry("m"));
    for (std::size_t i = 0; i < whole.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            std::vector<std::byte> flipped = whole;
            flipped[i] ^= static_cast<std::byte>(1 << bit);
            REQUIRE_FALSE(read_entry(flipped));
        }
        REQUIRE_FALSE(read_entry(std::span(whole).first(i)));
        static_cast<void>(read_summary(std::span(whole).first(i)));
    }
    std::vector<std::byte> longer = whole;
    longer.push_back(std::byte{0});
    CHECK_FALSE(read_entry(longer));
}

TEST_CASE("tables that lie are refused without reading past the end", "[cache]") {
    std::mt19937_64 random(7);
    const std::vector<std::byte> whole = write_entry(make_entry("m"));
    std::size_t summaries = 0;
    for (int round = 0; round < 20000; ++round) {
        // exactly the bytes on the heap, so that a sanitizer sees a step too far
        std::vector<std::byte> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(random() % (whole.size() + 1)));
        for (std::uint64_t n = random() % 5; n > 0 && !bytes.empty(); --n)
            bytes[random() % std::min<std::size_t>(bytes.size(), 200)] = static_cast<std::byte>(random());
        if (read_summary(bytes)) ++summaries;
        if (const auto e = read_entry(bytes)) REQUIRE(write_entry(*e) == bytes);
    }
    CHECK(summaries < 20000);
}

TEST_CASE("a store gives back what it was given, to the very manifest only", "[cache]") {
    const scratch_folder folder;
    store_at a(folder / "cache");
    const std::string key = key_of("one");
    CHECK_FALSE(a.store.load(key, "one"));
    a.store.store(key, make_entry("one"));
    store_at other_process(folder / "cache");
    const auto found = other_process.store.load(key, "one");
    REQUIRE(found);
    CHECK(equal(*found, make_entry("one")));
    CHECK_FALSE(other_process.store.load(key, "two"));
    CHECK(other_process.store.load(key, "one"));  // and a mismatch removes nothing
    CHECK(fs::status(folder / "cache").permissions() == fs::perms::owner_all);
    CHECK(files_in(folder / "cache") == 1);
    CHECK(a.warnings.empty());
    store_at reader(folder / "cache", store_access::read_only);
    CHECK(reader.store.load(key, "one"));
    reader.store.store(key_of("two"), make_entry("two"));
    CHECK(files_in(folder / "cache") == 1);
}

TEST_CASE("a damaged entry is removed and missed; a reader leaves it", "[cache]") {
    const scratch_folder folder;
    store_at a(folder / "cache");
    const std::string key = key_of("one"), file = folder / ("cache/" + key + ".quern");
    a.store.store(key, make_entry("one"));
    std::ofstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(100).put('?');
    store_at reader(folder / "cache", store_access::read_only);
    CHECK_FALSE(reader.store.load(key, "one"));
    CHECK(fs::exists(file));
    CHECK_FALSE(a.store.load(key, "one"));
    CHECK_FALSE(fs::exists(file));
    CHECK(a.warnings.empty());
    a.store.store(key, make_entry("one"));
    CHECK(a.store.load(key, "one"));
}

TEST_CASE("a folder that others control is refused with one warning", "[cache]") {
    const scratch_folder folder;
    fs::create_directory(folder / "open");
    REQUIRE(::chmod((folder / "open").c_str(), 0777) == 0);
    fs::create_directory(folder / "real");
    fs::create_symlink(folder / "real", folder / "link");
    std::ofstream(folder / "file") << "no folder";
    const std::pair<std::string, std::string> cases[] = {
        {"open", "others can write"}, {"link", "symbolic link"}, {"file", "kernels are not kept"}, {"file/below", "kernels are not kept"}};
    for (const auto& [name, reason] : cases) {
        store_at a(folder / name);
        a.store.store(key_of("one"), make_entry("one"));
        CHECK_FALSE(a.store.load(key_of("one"), "one"));
        REQUIRE(a.warnings.size() == 1);
        CHECK_THAT(a.warnings[0], Catch::Contains(reason) && Catch::Contains(folder / name));
        CHECK_FALSE(a.store.is_usable());
    }
    store_at nowhere("");
    nowhere.store.store(key_of("one"), make_entry("one"));
    CHECK(nowhere.warnings.size() == 1);
}

TEST_CASE("a folder that is removed while it is used comes back", "[cache]") {
    const scratch_folder folder;
    store_at a(folder / "deep/cache");
    a.store.store(key_of("one"), make_entry("one"));
    fs::remove_all(folder / "deep");
    CHECK_FALSE(a.store.load(key_of("one"), "one"));
    a.store.store(key_of("two"), make_entry("two"));
    CHECK(a.store.load(key_of("two"), "two"));
    CHECK(a.warnings.empty());
}

TEST_CASE("what was used least recently goes first, and what killed writers left", "[cache]") {
    const scratch_folder folder;
    store_at a(folder / "cache");
    const std::uint64_t size = write_entry(make_entry("0")).size();
    for (int i = 0; i < 6; ++i) {
        const std::string text = std::to_string(i);
        a.store.store(key_of(text), make_entry(text));
        set_stamp(folder / ("cache/" + key_of(text) + ".quern"), 100000 - i * 10000);
    }
    CHECK(a.store.load(key_of("0"), "0"));  // stamped now
    std::ofstream(folder / "cache/.writing-1-1") << "half";
    set_stamp(folder / "cache/.writing-1-1", 7200);
    std::ofstream(folder / "cache/.writing-1-2") << "at work";
    std::ofstream(folder / "cache/.writing-1-3") << "a clock far ahead";
    set_stamp(folder / "cache/.writing-1-3", -360000);
    std::ofstream(folder / "cache/notes.txt") << "not ours";
    const sweep_result swept = a.store.prune(3 * size);
    CHECK(swept.removed == 5);
    CHECK(a.store.load(key_of("0"), "0"));
    CHECK_FALSE(a.store.load(key_of("1"), "1"));
    CHECK_FALSE(a.store.load(key_of("3"), "3"));
    CHECK(a.store.load(key_of("4"), "4"));
    CHECK(a.store.load(key_of("5"), "5"));
    CHECK(fs::exists(folder / "cache/.writing-1-2"));
    CHECK_FALSE(fs::exists(folder / "cache/.writing-1-1"));
    CHECK_FALSE(fs::exists(folder / "cache/.writing-1-3"));
    CHECK(fs::exists(folder / "cache/notes.txt"));

    store_at small(folder / "small", store_access::read_write, 2 * size);
    for (int i = 0; i < 40; ++i) small.store.store(key_of(std::to_string(i)), make_entry(std::to_string(i)));
    CHECK(files_in(folder / "small") <= 3);  // the newest comes on top
}

TEST_CASE("a list shows kernels, newest first, and names the damaged", "[cache]") {
    const scratch_folder folder;
    store_at a(folder / "cache");
    for (int i = 0; i < 3; ++i) {
        a.store.store(key_of(std::to_string(i)), make_entry(std::to_string(i)));
        set_stamp(folder / ("cache/" + key_of(std::to_string(i)) + ".quern"), 1000 - i * 100);
    }
    std::ofstream(folder / ("cache/" + key_of("3") + ".quern")) << "no entry";
    const std::vector<stored_entry> all = a.store.list();
    REQUIRE(all.size() == 4);
    CHECK(all[0].key == key_of("3"));
    CHECK_FALSE(all[0].summary);
    CHECK(all[1].key == key_of("2"));
    CHECK(all[1].summary->kernel == "saxpy");
    CHECK(a.store.clear([](const stored_entry& e) { return e.summary.has_value(); }).removed == 3);
    CHECK(files_in(folder / "cache") == 1);
}

TEST_CASE("however many threads ask, one compiles", "[cache]") {
    const scratch_folder folder;
    settings s;
    s.options.cache_dir = folder / "cache";
    kernel_cache cache(s);
    manifest m;
    m.add("test", "threads");
    std::atomic<int> compiled{0}, failed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&] {
            try {
                const auto r = cache.get(m, [&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    if (compiled++ == 0) throw compile_error("the first one fails");
                    return make_entry("");
                });
                if (r.code->kernel != "saxpy") ++failed;
            } catch (const compile_error&) {
                ++failed;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(compiled == 2);
    CHECK(failed == 1);
    const cache_counters c = cache.counters();
    CHECK(c.compilations == 1);
    CHECK(c.memory_hits == 14);
    kernel_cache next_process(s);
    CHECK(next_process.get(m, []() -> entry { throw compile_error("not needed"); }).source == cache_source::disk);
    next_process.discard(m.key());
    CHECK(next_process.get(m, [] { return make_entry(""); }).source == cache_source::compiler);
}

TEST_CASE("a second folder is read, never written", "[cache]") {
    const scratch_folder folder;
    settings shipped;
    shipped.options.cache_dir = folder / "shipped";
    manifest m;
    m.add("test", "shared");
    kernel_cache(shipped).get(m, [] { return make_entry(""); });
    settings s;
    s.options.cache_dir = folder / "own";
    s.options.shared_cache_dir = folder / "shipped";
    kernel_cache cache(s);
    CHECK(cache.get(m, []() -> entry { throw compile_error("not needed"); }).source == cache_source::shared_folder);
    manifest other;
    other.add("test", "new");
    cache.get(other, [] { return make_entry(""); });
    CHECK(files_in(folder / "shipped") == 1);
    CHECK(files_in(folder / "own") == 1);
}

TEST_CASE("what a compilation depends on decides hit or miss", "[cache]") {
    backends::target t;
    t.info.subgroup_size = 8;
    t.code_features = "model 1";
    const ir::module kernel = test::empty_kernel();
    const std::string key = describe_compilation(kernel, "cpu", t, {}).key();
    CHECK(describe_compilation(kernel, "cpu", t, {}).key() == key);
    ir::module renamed = kernel;
    renamed.name = "other";
    CHECK(describe_compilation(renamed, "cpu", t, {}).key() == key);

    std::vector<std::string> keys{key};
    const auto differs = [&](const std::string& k) {
        CHECK(std::find(keys.begin(), keys.end(), k) == keys.end());
        keys.push_back(k);
    };
    differs(describe_compilation(kernel, "cuda", t, {}).key());
    differs(describe_compilation(kernel, "cpu", t, {.lanes = 4}).key());
    differs(describe_compilation(kernel, "cpu", t, {.vectors = 2}).key());
    differs(describe_compilation(kernel, "cpu", t, {.debug = true}).key());
    differs(describe_compilation(kernel, "cpu", t, {.checked = true}).key());
    ir::module changed = kernel;
    changed.workgroup_size = {64, 1, 1};
    differs(describe_compilation(changed, "cpu", t, {}).key());
    backends::target lesser = t;
    lesser.code_features = "model 1 without avx512";
    differs(describe_compilation(kernel, "cpu", lesser, {}).key());
    lesser = t;
    lesser.info.subgroup_size = 16;
    differs(describe_compilation(kernel, "cpu", lesser, {}).key());
    lesser = t;
    lesser.info.features = 1;
    differs(describe_compilation(kernel, "cpu", lesser, {}).key());
    lesser = t;
    lesser.info.compute_capability = 90;
    differs(describe_compilation(kernel, "cpu", lesser, {}).key());
}

TEST_CASE("another runtime loads what one has compiled, and compiles anew what the driver refuses", "[cache]") {
    const scratch_folder folder;
    test::fake_backend backend{"first"};
    backends::backend* const backends[] = {&backend};
    settings s;
    s.options.cache_dir = folder / "cache";
    const auto run = [&] {
        const auto state = quern_detail::handle(new quern_detail::runtime_state(s, backends));
        test::launch(state->find("first:0"), test::make_kernel(test::empty_kernel()), over{4});
    };
    run();
    CHECK(backend.record.compiled == 1);
    run();
    CHECK(backend.record.compiled == 1);
    backend.record.refused_loads = 1;
    run();
    CHECK(backend.record.compiled == 2);
    run();
    CHECK(backend.record.compiled == 2);
    s.options.cache = cache_mode::off;
    run();
    CHECK(backend.record.compiled == 3);
}
