#include "tests/device/cuda/support.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "backends/cuda/codegen/writer.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "backends/registry.hpp"
#include "dsl/ir/canonical.hpp"
#include "dsl/ir/text.hpp"
#include "dsl/ir/validator.hpp"
#include "tests/skip.hpp"

namespace quern::tests {
namespace {

ir::module parsed(const std::string& qir) {
    const ir::module m = ir::parse(qir);
    ir::validate(m);
    return m;
}

/// The attribute of a function's register count in the section .nv.info: format 4, number 0x2f, 8 bytes, the function's
/// symbol, the count.
unsigned find_registers(std::span<const std::byte> attributes) {
    constexpr std::array head{std::byte{4}, std::byte{0x2f}, std::byte{8}, std::byte{0}};
    const auto found = std::ranges::search(attributes, head).begin();
    std::uint32_t count = 0;
    if (attributes.end() - found >= 12) std::memcpy(&count, &*found + 8, sizeof count);
    return count;
}

}  // namespace

bool has_nvrtc() {
    std::string reason;
    if (cuda::nvrtc::find(reason) != nullptr) return true;
    skip(reason);
    return false;
}

std::optional<device> cuda_device() {
    std::string reason;
    if (!backends::find("cuda")->enumerate(reason).empty()) return device::find("cuda:0");
    skip("no CUDA device: " + reason);
    return std::nullopt;
}

backends::artifact compile_for(const std::string& qir, std::string_view target) {
    backends::backend& b = *backends::find("cuda");
    return b.compile(parsed(qir), b.find_target(target), {});
}

std::string cuda_source(const std::string& qir, int compute_capability) {
    return cuda::write_kernel(parsed(qir), compute_capability);
}

cubin_facts read_cubin(const backends::artifact& code) {
    cubin_facts f;
    const auto read = [&](auto& to, std::size_t offset) {
        if (offset + sizeof to <= code.bytes.size()) std::memcpy(&to, code.bytes.data() + offset, sizeof to);
    };
    Elf64_Ehdr header{};
    read(header, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return f;
    f.machine = header.e_machine;
    const auto section = [&](std::size_t i) {
        Elf64_Shdr s{};
        read(s, header.e_shoff + i * sizeof s);
        return s;
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section(i);
        const std::string name = reinterpret_cast<const char*>(code.bytes.data()) + names.sh_offset + s.sh_name;
        if (name.starts_with(".text.")) {
            f.entry = name.substr(6);
            f.code_bytes = s.sh_size;
        }
        if (name == ".nv.info") f.registers = find_registers({code.bytes.data() + s.sh_offset, s.sh_size});
        if (name.starts_with(".nv.shared.") && name != ".nv.shared.reserved.0") f.shared_bytes = s.sh_size;
    }
    return f;
}

}  // namespace quern::tests
