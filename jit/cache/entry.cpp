#include "jit/cache/entry.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace quern::jit {
namespace {

// All numbers little-endian. Header: magic, version, number of sections, size of the whole in bytes, checksum of all
// after the header. Then a table of {kind, size} and the sections themselves, in the table's order, without gaps.
constexpr std::array<char, 8> magic{'Q', 'U', 'E', 'R', 'N', '\r', '\n', '\x1a'};
constexpr std::size_t header_bytes = 40;
constexpr std::size_t row_bytes = 16;

/// In this order: what a summary needs stands at the front. stage: name, a zero byte, text; any number of them.
enum class section : std::uint32_t { manifest, kernel, device, target, format, log, ir, code, stage };
constexpr std::size_t single_sections = static_cast<std::size_t>(section::stage);
constexpr std::size_t most_sections = single_sections + 64;

template <class Number>
void put(std::vector<std::byte>& to, Number n) {
    for (std::size_t i = 0; i < sizeof n; ++i) to.push_back(static_cast<std::byte>(n >> (8 * i)));
}

template <class Number>
Number get(std::span<const std::byte> from, std::size_t at) {
    Number n = 0;
    for (std::size_t i = 0; i < sizeof n; ++i)
        n = static_cast<Number>(n | static_cast<Number>(static_cast<Number>(from[at + i]) << (8 * i)));
    return n;
}

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
std::string as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

XXH128_canonical_t checksum(std::span<const std::byte> bytes) {
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits(bytes.data(), bytes.size()));
    return c;
}

struct row {
    section kind;
    std::uint64_t size;
};

struct table {
    std::vector<row> rows;
    std::uint64_t total_bytes = 0;

    std::size_t first_section() const { return header_bytes + rows.size() * row_bytes; }
};

/// The table if header and table are possible in themselves, whether or not all sections are here.
std::optional<table> read_table(std::span<const std::byte> bytes) {
    if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) return std::nullopt;
    if (get<std::uint32_t>(bytes, 8) != entry_version) return std::nullopt;
    const auto count = get<std::uint32_t>(bytes, 12);
    if (count < single_sections || count > most_sections) return std::nullopt;
    if (bytes.size() < header_bytes + count * row_bytes) return std::nullopt;
    table t;
    t.total_bytes = get<std::uint64_t>(bytes, 16);
    std::uint64_t left = t.total_bytes;
    const auto take = [&](std::uint64_t size) { return size <= left && (left -= size, true); };
    if (!take(header_bytes + count * row_bytes)) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = header_bytes + i * row_bytes;
        const auto expected = static_cast<std::uint32_t>(std::min(i, single_sections));
        const row r{static_cast<section>(expected), get<std::uint64_t>(bytes, at + 8)};
        if (get<std::uint32_t>(bytes, at) != expected || get<std::uint32_t>(bytes, at + 4) != 0 || !take(r.size))
            return std::nullopt;
        t.rows.push_back(r);
    }
    if (left != 0) return std::nullopt;
    return t;
}

}  // namespace

std::vector<std::byte> write_entry(const entry& e) {
    std::vector<std::string> stages;
    for (const backends::stage& s : e.stages) stages.push_back(s.name + '\0' + s.text);
    std::vector<std::span<const std::byte>> sections{as_bytes(e.manifest), as_bytes(e.kernel), as_bytes(e.device),
                                                     as_bytes(e.target), as_bytes(e.code.format), as_bytes(e.code.log),
                                                     e.ir, e.code.bytes};
    for (const std::string& s : stages) sections.push_back(as_bytes(s));

    std::uint64_t total = header_bytes + sections.size() * row_bytes;
    for (const auto& s : sections) total += s.size();
    std::vector<std::byte> out;
    out.reserve(static_cast<std::size_t>(total));
    for (const char c : magic) out.push_back(static_cast<std::byte>(c));
    put(out, entry_version);
    put(out, static_cast<std::uint32_t>(sections.size()));
    put(out, total);
    out.resize(header_bytes);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        put(out, static_cast<std::uint32_t>(std::min(i, single_sections)));
        put(out, std::uint32_t{0});
        put(out, static_cast<std::uint64_t>(sections[i].size()));
    }
    for (const auto& s : sections) out.insert(out.end(), s.begin(), s.end());
    const XXH128_canonical_t sum = checksum(std::span(out).subspan(header_bytes));
    std::memcpy(out.data() + 24, sum.digest, sizeof sum.digest);
    return out;
}

std::optional<entry> read_entry(std::span<const std::byte> bytes) {
    const std::optional<table> t = read_table(bytes);
    if (!t || t->total_bytes != bytes.size()) return std::nullopt;
    const XXH128_canonical_t sum = checksum(bytes.subspan(header_bytes));
    if (std::memcmp(bytes.data() + 24, sum.digest, sizeof sum.digest) != 0) return std::nullopt;

    entry e;
    std::size_t at = t->first_section();
    for (const row& r : t->rows) {
        const std::span<const std::byte> content = bytes.subspan(at, static_cast<std::size_t>(r.size));
        at += content.size();
        switch (r.kind) {
            case section::manifest: e.manifest = as_text(content); break;
            case section::kernel: e.kernel = as_text(content); break;
            case section::device: e.device = as_text(content); break;
            case section::target: e.target = as_text(content); break;
            case section::format: e.code.format = as_text(content); break;
            case section::log: e.code.log = as_text(content); break;
            case section::ir: e.ir.assign(content.begin(), content.end()); break;
            case section::code: e.code.bytes.assign(content.begin(), content.end()); break;
            case section::stage: {
                const auto end = std::ranges::find(content, std::byte{0});
                if (end == content.end()) return std::nullopt;
                e.stages.push_back({as_text({content.begin(), end}), as_text({end + 1, content.end()})});
                break;
            }
        }
    }
    return e;
}

std::optional<entry_summary> read_summary(std::span<const std::byte> bytes) {
    const std::optional<table> t = read_table(bytes);
    if (!t) return std::nullopt;
    entry_summary s;
    std::string* const parts[] = {&s.manifest, &s.kernel, &s.device, &s.target};
    std::size_t at = t->first_section();
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        if (t->rows[i].size > bytes.size() - at) return std::nullopt;
        *parts[i] = as_text(bytes.subspan(at, static_cast<std::size_t>(t->rows[i].size)));
        at += static_cast<std::size_t>(t->rows[i].size);
    }
    return s;
}

}  // namespace quern::jit
