#include "backends/cpu/code_facts.hpp"

#include <quern/error.hpp>

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace quern::cpu {
namespace {

constexpr std::string_view section_name = ".quern";

class object_reader {
public:
    explicit object_reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::optional<quern_cpu_code> facts() const {
        const auto header = read<Elf64_Ehdr>(0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
            return std::nullopt;
        const auto names = section(*header, header->e_shstrndx);
        if (!names) return std::nullopt;
        for (std::uint16_t i = 0; i < header->e_shnum; ++i) {
            const auto s = section(*header, i);
            if (s && has_name(names->sh_offset, s->sh_name) && s->sh_size == sizeof(quern_cpu_code))
                return read<quern_cpu_code>(s->sh_offset);
        }
        return std::nullopt;
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

    /// LLVM's writer shares the tails of names, so a name is compared where it begins.
    bool has_name(std::uint64_t names, std::uint32_t offset) const {
        if (names > bytes_.size() || bytes_.size() - names < offset ||
            bytes_.size() - names - offset <= section_name.size())
            return false;
        return std::memcmp(bytes_.data() + names + offset, section_name.data(), section_name.size()) == 0 &&
               bytes_[names + offset + section_name.size()] == std::byte{0};
    }

    std::span<const std::byte> bytes_;
};

}  // namespace

quern_cpu_code read_facts(std::span<const std::byte> object) {
    if (const auto facts = object_reader(object).facts()) return *facts;
    throw internal_error("CPU code without the section .quern");
}

}  // namespace quern::cpu
