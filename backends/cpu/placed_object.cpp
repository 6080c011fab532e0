#include "backends/cpu/placed_object.hpp"

#include <quern/error.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/cpu/elf_object.hpp"

namespace quern::cpu {
namespace {

constexpr std::string_view entry_name = "quern_kernel";
constexpr std::uint64_t unplaced = ~std::uint64_t{0};

[[noreturn]] void fail(std::string text) { throw internal_error("CPU code cannot be placed: " + std::move(text)); }

std::uint64_t align_up(std::uint64_t n, std::uint64_t alignment) { return (n + alignment - 1) / alignment * alignment; }

class placer {
public:
    explicit placer(std::span<const std::byte> object) : elf_(object), offsets_(elf_.section_count(), unplaced) {
        if (!elf_.is_valid()) fail("it is no object of this processor");
        lay_out();
    }

    std::uint64_t size_bytes() const { return size_bytes_; }
    std::uint64_t code_bytes() const { return code_bytes_; }

    void copy_to(std::span<std::byte> memory) const {
        for (std::size_t i = 0; i < offsets_.size(); ++i) {
            if (offsets_[i] == unplaced) continue;
            const std::span<const std::byte> from = elf_.contents(*elf_.section(i));
            std::copy(from.begin(), from.end(), memory.begin() + static_cast<std::ptrdiff_t>(offsets_[i]));
        }
        for (std::size_t i = 0; i < offsets_.size(); ++i) {
            const Elf64_Shdr s = *elf_.section(i);
            if (s.sh_type == SHT_REL) fail("relocations without addends");
            if (s.sh_type != SHT_RELA || s.sh_info >= offsets_.size() || offsets_[s.sh_info] == unplaced) continue;
            for (std::size_t n = 0; n < elf_.count<Elf64_Rela>(s); ++n)
                relocate(memory, *elf_.section(s.sh_info), offsets_[s.sh_info], s, *elf_.element<Elf64_Rela>(s, n));
        }
    }

    /// Where the entry is placed.
    std::uint64_t entry_offset() const {
        for (std::size_t i = 0; i < offsets_.size(); ++i) {
            const Elf64_Shdr s = *elf_.section(i);
            const auto names = elf_.section(s.sh_link);
            if (s.sh_type != SHT_SYMTAB || !names) continue;
            for (std::size_t n = 0; n < elf_.count<Elf64_Sym>(s); ++n) {
                const Elf64_Sym symbol = *elf_.element<Elf64_Sym>(s, n);
                if (elf_.text(*names, symbol.st_name) != entry_name || symbol.st_shndx == SHN_UNDEF) continue;
                const std::uint64_t at = address_of(s, symbol);
                if (at >= code_bytes_) fail("its entry is not code");
                return at;
            }
        }
        fail("it has no entry");
    }

private:
    /// Code first, then, on pages of its own, what is only read.
    void lay_out() {
        for (const bool code : {true, false}) {
            for (std::size_t i = 0; i < offsets_.size(); ++i) {
                const auto s = elf_.section(i);
                if (!s) fail("it is cut off");
                if ((s->sh_flags & SHF_ALLOC) == 0 || ((s->sh_flags & SHF_EXECINSTR) != 0) != code) continue;
                if ((s->sh_flags & SHF_WRITE) != 0) fail("it has data that can be written");
                if (elf_.contents(*s).size() != s->sh_size) fail("it is cut off");
                const std::uint64_t alignment = std::max<std::uint64_t>(s->sh_addralign, 1);
                if ((alignment & (alignment - 1)) != 0 || alignment > platform::executable_memory::page_bytes())
                    fail("a section's alignment is impossible");
                size_bytes_ = align_up(size_bytes_, alignment);
                offsets_[i] = size_bytes_;
                size_bytes_ += s->sh_size;
            }
            size_bytes_ = align_up(size_bytes_, platform::executable_memory::page_bytes());
            if (code) code_bytes_ = size_bytes_;
        }
        if (code_bytes_ == 0) fail("it has no code");
    }

    std::uint64_t address_of(const Elf64_Shdr& table, const Elf64_Sym& symbol) const {
        if (symbol.st_shndx >= offsets_.size() || offsets_[symbol.st_shndx] == unplaced) {
            const auto names = elf_.section(table.sh_link);
            fail("it needs a symbol from elsewhere: " + std::string(names ? elf_.text(*names, symbol.st_name) : ""));
        }
        return offsets_[symbol.st_shndx] + symbol.st_value;
    }

    void relocate(std::span<std::byte> memory, const Elf64_Shdr& section, std::uint64_t base, const Elf64_Shdr& relocations,
                  const Elf64_Rela& r) const {
        const auto table = elf_.section(relocations.sh_link);
        const auto symbol = table ? elf_.element<Elf64_Sym>(*table, ELF64_R_SYM(r.r_info)) : std::nullopt;
        if (!symbol) fail("a relocation without a symbol");
        const std::uint64_t target = address_of(*table, *symbol) + static_cast<std::uint64_t>(r.r_addend);
        const std::uint64_t at = base + r.r_offset;
        const auto write = [&](auto value) {
            if (section.sh_size < sizeof value || r.r_offset > section.sh_size - sizeof value)
                fail("a relocation outside its section");
            std::memcpy(memory.data() + at, &value, sizeof value);
        };
        switch (ELF64_R_TYPE(r.r_info)) {
            case R_X86_64_PC32:
            case R_X86_64_PLT32: {
                const auto distance = static_cast<std::int64_t>(target - at);
                if (distance != static_cast<std::int32_t>(distance)) fail("a distance above 2 GiB");
                return write(static_cast<std::int32_t>(distance));
            }
            case R_X86_64_PC64: return write(target - at);
            case R_X86_64_64: return write(reinterpret_cast<std::uintptr_t>(memory.data()) + target);
            default: fail("an unknown kind of relocation: " + std::to_string(ELF64_R_TYPE(r.r_info)));
        }
    }

    elf_object elf_;
    std::vector<std::uint64_t> offsets_;  ///< by section: where it is placed
    std::uint64_t size_bytes_ = 0, code_bytes_ = 0;
};

}  // namespace

placed_object::placed_object(std::span<const std::byte> object) {
    const placer p(object);
    memory_ = platform::executable_memory(p.size_bytes());
    const std::span<std::byte> memory = memory_.bytes();
    if (memory.empty()) throw device_error("cpu: out of memory: no pages for a kernel's code");
    p.copy_to(memory);
    const std::uint64_t entry = p.entry_offset();
    if (!memory_.seal(p.code_bytes())) throw device_error("cpu: the system lets this process execute no code of its own");
    entry_ = reinterpret_cast<quern_cpu_entry>(memory.data() + entry);
}

}  // namespace quern::cpu
