// Words of one SPIR-V 1.3 module, section by section in the order that the specification asks for, with interned types,
// constants and capabilities. Knows nothing of the IR.
#pragma once

#include <spirv/unified1/spirv.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern::spirv {

using id = std::uint32_t;
using word = std::uint32_t;

/// The module's parts behind capabilities and extensions; function parts come last.
enum class section : std::uint8_t {
    imports, entry, modes, strings, names, annotations, globals, function_head, prologue, body, count
};

class assembler {
public:
    id next_id() { return bound_++; }

    /// Declares a capability, with the extension that brings it to SPIR-V 1.3 where there is one.
    void require(spv::Capability c, std::string_view extension = {});
    void require_extension(std::string_view extension) { extensions_.emplace(extension); }

    void add(section s, spv::Op code, std::span<const word> operands);
    void add(section s, spv::Op code, std::initializer_list<word> operands) { add(s, code, std::span(operands.begin(), operands.size())); }
    /// With a result: type, fresh id, operands.
    id add_result(section s, spv::Op code, id type, std::span<const word> operands);
    id add_result(section s, spv::Op code, id type, std::initializer_list<word> operands) {
        return add_result(s, code, type, std::span(operands.begin(), operands.size()));
    }
    /// A type (operands follow the id), or a constant (they follow type and id), made once.
    id intern_type(spv::Op code, std::initializer_list<word> operands);
    id intern_constant(spv::Op code, id type, std::span<const word> operands);
    /// The extended instruction set's id.
    id import(std::string_view set);
    id string(std::string_view text);
    void name(id target, std::string_view text);
    void decorate(id target, spv::Decoration d, std::initializer_list<word> operands = {});
    void decorate_member(id target, word member, spv::Decoration d, std::initializer_list<word> operands = {});

    /// Text as words: null-terminated, little-endian.
    static void append_text(std::vector<word>& to, std::string_view text);

    /// The whole module; `model` is the memory model's two words.
    std::vector<word> finish(std::array<word, 2> model) const;

private:
    std::vector<word>& at(section s) { return sections_[static_cast<std::size_t>(s)]; }

    id bound_ = 1;
    std::array<std::vector<word>, static_cast<std::size_t>(section::count)> sections_;
    std::set<word> capabilities_;
    std::set<std::string, std::less<>> extensions_;
    std::map<std::vector<word>, id> interned_;
    std::map<std::string, id, std::less<>> imports_, strings_;
};

}  // namespace quern::spirv
