#include "backends/cpu/elf_object.hpp"

namespace quern::cpu {

elf_object::elf_object(std::span<const std::byte> bytes) : bytes_(bytes) {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    header_ = *header;
    valid_ = header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB &&
             header_.e_type == ET_REL && header_.e_machine == EM_X86_64 && header_.e_shentsize == sizeof(Elf64_Shdr) &&
             header_.e_shoff <= bytes_.size();
}

std::optional<Elf64_Shdr> elf_object::section(std::size_t number) const {
    if (number >= section_count()) return std::nullopt;
    return read<Elf64_Shdr>(header_.e_shoff + number * sizeof(Elf64_Shdr));
}

std::span<const std::byte> elf_object::contents(const Elf64_Shdr& s) const {
    if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes_.size() || bytes_.size() - s.sh_offset < s.sh_size) return {};
    return bytes_.subspan(static_cast<std::size_t>(s.sh_offset), static_cast<std::size_t>(s.sh_size));
}

std::string_view elf_object::text(const Elf64_Shdr& table, std::uint64_t offset) const {
    const std::span<const std::byte> all = contents(table);
    if (offset >= all.size()) return {};
    const auto* const first = reinterpret_cast<const char*>(all.data() + offset);
    const auto* const end = static_cast<const char*>(std::memchr(first, 0, all.size() - offset));
    return end != nullptr ? std::string_view(first, static_cast<std::size_t>(end - first)) : std::string_view();
}

std::string_view elf_object::name_of(const Elf64_Shdr& s) const {
    const auto names = section(header_.e_shstrndx);
    return names ? text(*names, s.sh_name) : std::string_view();
}

}  // namespace quern::cpu
