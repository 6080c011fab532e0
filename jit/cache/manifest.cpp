#include "jit/cache/manifest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "dsl/ir/canonical.hpp"

namespace quern::jit {

void manifest::add(std::string_view name, std::string_view value) {
    text_ += name;
    text_ += ' ';
    for (const char c : value) {
        if (c == '\n') text_ += "\\n";
        else if (c == '\\') text_ += "\\\\";
        else text_ += c;
    }
    text_ += '\n';
}

cache_key manifest::key() const {
    const XXH128_hash_t h = XXH3_128bits(text_.data(), text_.size());
    return fmt::format("{:016x}{:016x}", h.high64, h.low64);
}

manifest describe_compilation(const ir::module& m, std::string_view backend, const backends::target& t,
                              const backends::compile_options& o) {
    const ir::hash128 identity = ir::hash(m);
    manifest all;
    all.add("quern", build_id());
    all.add("ir", fmt::format("{:016x}{:016x}", identity[0], identity[1]));
    const auto& [lanes, vectors, debug, checked] = o;  // a new option does not compile until it is in the manifest
    if (debug) {  // code with line tables depends on the lines
        const std::vector<std::byte> bytes = ir::to_bytes(ir::canonicalise(m), ir::side_tables::include);
        const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
        all.add("lines", fmt::format("{:016x}{:016x}", h.high64, h.low64));
    }
    all.add("lanes", fmt::format("{}", lanes));
    all.add("vectors", fmt::format("{}", vectors));
    all.add("debug", debug ? "1" : "0");
    all.add("checked", checked ? "1" : "0");
    all.add("backend", backend);
    all.add("subgroup_size", fmt::format("{}", t.info.subgroup_size));
    all.add("features", fmt::format("{:x}", t.info.features));
    all.add("compute_capability", fmt::format("{}", t.info.compute_capability));
    all.add("code", t.code_features);
    return all;
}

}  // namespace quern::jit
