#include "backends/cpu/code_facts.hpp"

#include <quern/error.hpp>

#include "backends/cpu/elf_object.hpp"

namespace quern::cpu {

quern_cpu_code read_facts(std::span<const std::byte> object) {
    const elf_object elf(object);
    for (std::size_t i = 0; i < elf.section_count(); ++i) {
        const auto s = elf.section(i);
        if (!s || elf.name_of(*s) != ".quern" || s->sh_size != sizeof(quern_cpu_code)) continue;
        if (const auto facts = elf.element<quern_cpu_code>(*s, 0)) return *facts;
    }
    throw internal_error("CPU code without the section .quern");
}

}  // namespace quern::cpu
