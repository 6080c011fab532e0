#include "backends/spirv/assembler.hpp"

namespace quern::spirv {
namespace {

constexpr word version_1_3 = 0x0001'0300;
constexpr word generator = 0;  // none is registered

void append(std::vector<word>& to, spv::Op code, std::span<const word> operands) {
    to.push_back(static_cast<word>(operands.size() + 1) << spv::WordCountShift | static_cast<word>(code));
    to.insert(to.end(), operands.begin(), operands.end());
}

}  // namespace

void assembler::require(spv::Capability c, std::string_view extension) {
    capabilities_.insert(static_cast<word>(c));
    if (!extension.empty()) require_extension(extension);
}

void assembler::add(section s, spv::Op code, std::span<const word> operands) { append(at(s), code, operands); }

id assembler::add_result(section s, spv::Op code, id type, std::span<const word> operands) {
    const id made = next_id();
    std::vector<word>& to = at(s);
    to.push_back(static_cast<word>(operands.size() + 3) << spv::WordCountShift | static_cast<word>(code));
    to.push_back(type);
    to.push_back(made);
    to.insert(to.end(), operands.begin(), operands.end());
    return made;
}

id assembler::intern_type(spv::Op code, std::initializer_list<word> operands) {
    std::vector<word> key{static_cast<word>(code)};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [known, added] = interned_.try_emplace(std::move(key), 0);
    if (!added) return known->second;
    known->second = next_id();
    std::vector<word> words{known->second};
    words.insert(words.end(), operands.begin(), operands.end());
    add(section::globals, code, words);
    return known->second;
}

id assembler::intern_constant(spv::Op code, id type, std::span<const word> operands) {
    std::vector<word> key{static_cast<word>(code), type};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [known, added] = interned_.try_emplace(std::move(key), 0);
    if (added) known->second = add_result(section::globals, code, type, operands);
    return known->second;
}

id assembler::import(std::string_view set) {
    if (const auto known = imports_.find(set); known != imports_.end()) return known->second;
    const id made = next_id();
    imports_.emplace(set, made);
    std::vector<word> words{made};
    append_text(words, set);
    add(section::imports, spv::OpExtInstImport, words);
    return made;
}

id assembler::string(std::string_view text) {
    if (const auto known = strings_.find(text); known != strings_.end()) return known->second;
    const id made = next_id();
    strings_.emplace(text, made);
    std::vector<word> words{made};
    append_text(words, text);
    add(section::strings, spv::OpString, words);
    return made;
}

void assembler::name(id target, std::string_view text) {
    std::vector<word> words{target};
    append_text(words, text);
    add(section::names, spv::OpName, words);
}

void assembler::decorate(id target, spv::Decoration d, std::initializer_list<word> operands) {
    std::vector<word> words{target, static_cast<word>(d)};
    words.insert(words.end(), operands.begin(), operands.end());
    add(section::annotations, spv::OpDecorate, words);
}

void assembler::decorate_member(id target, word member, spv::Decoration d, std::initializer_list<word> operands) {
    std::vector<word> words{target, member, static_cast<word>(d)};
    words.insert(words.end(), operands.begin(), operands.end());
    add(section::annotations, spv::OpMemberDecorate, words);
}

void assembler::append_text(std::vector<word>& to, std::string_view text) {
    const std::size_t first = to.size();
    to.resize(first + text.size() / 4 + 1);
    for (std::size_t i = 0; i < text.size(); ++i)
        to[first + i / 4] |= word{static_cast<unsigned char>(text[i])} << (8 * (i % 4));
}

std::vector<word> assembler::finish(std::array<word, 2> model) const {
    std::vector<word> all{spv::MagicNumber, version_1_3, generator, bound_, 0};
    for (const word c : capabilities_) append(all, spv::OpCapability, std::array{c});
    for (const std::string& e : extensions_) {
        std::vector<word> words;
        append_text(words, e);
        append(all, spv::OpExtension, words);
    }
    const auto put = [&](section s) {
        const std::vector<word>& words = sections_[static_cast<std::size_t>(s)];
        all.insert(all.end(), words.begin(), words.end());
    };
    put(section::imports);
    append(all, spv::OpMemoryModel, model);
    for (const section s : {section::entry, section::modes, section::strings, section::names, section::annotations,
                            section::globals, section::function_head, section::prologue, section::body})
        put(s);
    return all;
}

}  // namespace quern::spirv
