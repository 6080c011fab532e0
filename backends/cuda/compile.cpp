#include "backends/cuda/compile.hpp"

#include <fmt/format.h>

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "backends/cuda/codegen/writer.hpp"
#include "backends/cuda/nvrtc.hpp"

namespace quern::cuda {
namespace {

const nvrtc& require_nvrtc() {
    std::string reason;
    if (const nvrtc* found = nvrtc::find(reason)) return *found;
    throw compile_error("cuda: no compiler: " + reason, {}, {});
}

struct architecture {
    std::string option;  ///< "sm_90", or "compute_121" for PTX
    nvrtc::output output = nvrtc::output::cubin;
};

/// The target's own architecture, else PTX of the newest one before it.
architecture choose_architecture(const nvrtc& compiler, const backends::target& t) {
    const int wanted = t.info.compute_capability;
    const auto& known = compiler.architectures();
    if (std::ranges::find(known, wanted) != known.end()) return {t.name, nvrtc::output::cubin};
    const auto above = std::ranges::upper_bound(known, wanted);
    if (above == known.begin() || above != known.end())
        throw compile_error(fmt::format("cuda: NVRTC {} makes no code for {}; it knows {} to {}", compiler.version(), t.name,
                                        known.empty() ? 0 : known.front(), known.empty() ? 0 : known.back()), {}, {});
    return {fmt::format("compute_{}", *(above - 1)), nvrtc::output::ptx};
}

std::vector<std::string> options_for(const ir::module& m, const std::string& architecture, const backends::compile_options& o) {
    std::vector<std::string> options{"--gpu-architecture=" + architecture, "--minimal", "--std=c++17", "--no-source-include",
                                     "--disable-warnings"};
    switch (m.math) {
        case ir::math_mode::contract: break;  // the compiler's defaults: a*b+c fused, division and square root rounded
        case ir::math_mode::precise: options.emplace_back("--fmad=false"); break;
        case ir::math_mode::fast:
            options.emplace_back("--prec-div=false");
            options.emplace_back("--prec-sqrt=false");
            break;
    }
    if (o.debug) options.emplace_back("--generate-line-info");
    return options;
}

/// The first line of the log that is an error, which begins with the user's file and line.
std::string first_error(std::string_view log) {
    while (!log.empty()) {
        const std::string_view line = log.substr(0, log.find('\n'));
        if (line.find("error") != std::string_view::npos) return std::string(line);
        log.remove_prefix(std::min(line.size() + 1, log.size()));
    }
    return "no error was reported";
}

std::vector<std::byte> build(const ir::module& m, const std::string& source, const nvrtc& compiler, const architecture& a,
                             const backends::compile_options& o, std::string& log) {
    nvrtc::result r = compiler.compile(source, m.name + ".cu", options_for(m, a.option, o), a.output);
    if (!r.is_ok)
        throw compile_error(fmt::format("kernel \"{}\" for {}: {}", m.name, a.option, first_error(r.log)), r.log, source);
    log = std::move(r.log);
    return std::move(r.code);
}

class elf_sections {
public:
    explicit elf_sections(std::span<const std::byte> bytes) : bytes_(bytes) {}

    /// What follows ".text." in a section's name.
    std::string entry() const {
        const auto header = read<Elf64_Ehdr>(0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return {};
        const auto names = section(*header, header->e_shstrndx);
        for (std::uint16_t i = 0; names && i < header->e_shnum; ++i) {
            const auto s = section(*header, i);
            const std::string name = s ? text(names->sh_offset + s->sh_name) : std::string();
            if (name.starts_with(".text.")) return name.substr(6);
        }
        return {};
    }

private:
    template <class T>
    std::optional<T> read(std::uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    std::optional<Elf64_Shdr> section(const Elf64_Ehdr& header, std::uint16_t number) const {
        if (header.e_shoff > bytes_.size()) return std::nullopt;
        return read<Elf64_Shdr>(header.e_shoff + std::uint64_t{number} * sizeof(Elf64_Shdr));
    }
    std::string text(std::uint64_t offset) const {
        std::string found;
        for (; offset < bytes_.size() && bytes_[offset] != std::byte{0}; ++offset) found += static_cast<char>(bytes_[offset]);
        return found;
    }

    std::span<const std::byte> bytes_;
};

}  // namespace

backends::artifact compile(const ir::module& m, const backends::target& t, const backends::compile_options& o) {
    const std::string source = write_kernel(m, t.info.compute_capability);
    const nvrtc& compiler = require_nvrtc();
    const architecture a = choose_architecture(compiler, t);
    backends::artifact code;
    code.bytes = build(m, source, compiler, a, o, code.log);
    code.format = a.output == nvrtc::output::cubin ? "cubin" : "ptx";
    return code;
}

std::vector<backends::stage> inspect(const ir::module& m, const backends::target& t, const backends::compile_options& o) {
    std::vector<backends::stage> stages{{"cuda", write_kernel(m, t.info.compute_capability)}};
    const nvrtc& compiler = require_nvrtc();
    architecture a = choose_architecture(compiler, t);
    if (a.output == nvrtc::output::cubin) a.option.replace(0, 3, "compute_");
    std::string log;
    const std::vector<std::byte> ptx = build(m, stages[0].text, compiler, {a.option, nvrtc::output::ptx}, o, log);
    stages.push_back({"ptx", std::string(reinterpret_cast<const char*>(ptx.data()))});
    return stages;
}

std::string find_entry(const backends::artifact& code) {
    if (code.format == "cubin") return elf_sections(code.bytes).entry();
    const std::string_view text(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
    constexpr std::string_view keyword = ".entry ";
    const std::size_t at = text.find(keyword);
    if (at == std::string_view::npos) return {};
    const std::string_view name = text.substr(at + keyword.size());
    return std::string(name.substr(0, name.find_first_of("( \n")));
}

}  // namespace quern::cuda
