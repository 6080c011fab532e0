// A relocatable ELF object in memory, as our code generator writes them. Trusts no offset: what lies outside the bytes
// is not there.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace quern::cpu {

class elf_object {
public:
    explicit elf_object(std::span<const std::byte> bytes);

    /// False if these bytes are no 64-bit object for this kind of processor.
    bool is_valid() const { return valid_; }
    std::size_t section_count() const { return valid_ ? header_.e_shnum : 0; }
    std::optional<Elf64_Shdr> section(std::size_t number) const;
    /// Its bytes; nothing for a section that takes none of the file or lies outside.
    std::span<const std::byte> contents(const Elf64_Shdr& s) const;
    std::string_view name_of(const Elf64_Shdr& s) const;

    /// Number of elements of type T in a section.
    template <class T>
    std::size_t count(const Elf64_Shdr& s) const {
        return contents(s).size() / sizeof(T);
    }
    template <class T>
    std::optional<T> element(const Elf64_Shdr& s, std::size_t number) const {
        return number < count<T>(s) ? read<T>(s.sh_offset + number * sizeof(T)) : std::nullopt;
    }
    /// A text of a string table; empty if it is not there.
    std::string_view text(const Elf64_Shdr& table, std::uint64_t offset) const;

private:
    template <class T>
    std::optional<T> read(std::uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }

    std::span<const std::byte> bytes_;
    Elf64_Ehdr header_{};
    bool valid_ = false;
};

}  // namespace quern::cpu
