#include "backends/cuda/codegen/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include <quern/error.hpp>

#include "backends/cuda/codegen/names.hpp"
#include "dsl/ir/text.hpp"

namespace quern::cuda {
namespace {

template <class Float>
std::string shortest(Float value, std::string_view suffix) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    text += suffix;
    return std::signbit(value) ? fmt::format("({})", text) : text;
}

std::string signed_literal(std::int64_t n, std::string_view suffix) {
    // C++ has no negative literals: the smallest number is a difference.
    if (n == INT64_MIN || (suffix.empty() && n == INT32_MIN)) return fmt::format("({}{} - 1)", n + 1, suffix);
    return n < 0 ? fmt::format("({}{})", n, suffix) : fmt::format("{}{}", n, suffix);
}

}  // namespace

std::string_view spelled(ir::scalar_kind k) {
    switch (k) {
        case ir::scalar_kind::none: return "void";
        case ir::scalar_kind::boolean: return "bool";
        case ir::scalar_kind::i8: return "int8";
        case ir::scalar_kind::i16: return "int16";
        case ir::scalar_kind::i32: return "int";
        case ir::scalar_kind::i64: return "int64";
        case ir::scalar_kind::u8: return "uint8";
        case ir::scalar_kind::u16: return "uint16";
        case ir::scalar_kind::u32: return "uint";
        case ir::scalar_kind::u64: return "uint64";
        case ir::scalar_kind::f16: return "half";
        case ir::scalar_kind::bf16: return "bfloat16";
        case ir::scalar_kind::f32: return "float";
        case ir::scalar_kind::f64: return "double";
    }
    return {};
}

std::string literal(ir::scalar_kind k, std::uint64_t bits) {
    switch (k) {
        case ir::scalar_kind::none: return {};
        case ir::scalar_kind::boolean: return bits != 0 ? "true" : "false";
        case ir::scalar_kind::i8: return fmt::format("(int8){}", signed_literal(static_cast<std::int8_t>(bits), ""));
        case ir::scalar_kind::i16: return fmt::format("(int16){}", signed_literal(static_cast<std::int16_t>(bits), ""));
        case ir::scalar_kind::i32: return signed_literal(static_cast<std::int32_t>(bits), "");
        case ir::scalar_kind::i64: return signed_literal(static_cast<std::int64_t>(bits), "ll");
        case ir::scalar_kind::u8: case ir::scalar_kind::u16: return fmt::format("({}){}", spelled(k), bits);
        case ir::scalar_kind::u32: return fmt::format("{}u", bits);
        case ir::scalar_kind::u64: return fmt::format("{}ull", bits);
        case ir::scalar_kind::f16: case ir::scalar_kind::bf16: return fmt::format("{}{{{:#06x}}}", spelled(k), bits);
        case ir::scalar_kind::f32: {
            const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            return std::isfinite(value) ? shortest(value, "f") : fmt::format("__uint_as_float({:#010x}u)", bits);
        }
        case ir::scalar_kind::f64: {
            const auto value = std::bit_cast<double>(bits);
            return std::isfinite(value) ? shortest(value, "")
                                        : fmt::format("__longlong_as_double((long long){:#018x}ull)", bits);
        }
    }
    return {};
}

types::types(const ir::module& m) : module_(m), structs_(m.types.size()), members_(m.types.size()) {
    for (std::uint32_t i = 0; i < m.types.size(); ++i) define({i});
}

std::string types::name(ir::type_id id) const {
    const ir::type& t = module_[id];
    switch (t.kind) {
        case ir::type_kind::none: return "void";
        case ir::type_kind::scalar: return std::string(spelled(t.scalar));
        case ir::type_kind::vector: return fmt::format("vec{}<{}>", t.count, spelled(t.scalar));
        case ir::type_kind::array: return fmt::format("array<{}, {}>", name(t.element), t.count);
        case ir::type_kind::structure: return structs_[id.number];
    }
    return {};
}

void types::define(ir::type_id id) {
    const ir::type& t = module_[id];
    if (t.kind == ir::type_kind::array) return define(t.element);
    if (t.kind != ir::type_kind::structure || !structs_[id.number].empty()) return;
    const auto members = module_.members_of(id);
    for (const ir::member& part : members) define(part.type);

    structs_[id.number] = fmt::format("struct_{}", std::ranges::count_if(structs_, [](const auto& s) { return !s.empty(); }) + 1);
    std::string body;
    std::unordered_set<std::string> taken;
    std::uint32_t end = 0, natural = 1;
    const auto pad_to = [&](std::uint32_t offset) {
        if (offset > end) body += fmt::format("    unsigned char unused_{}[{}];\n", end, offset - end);
    };
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const ir::type& part = module_[members[i].type];
        const std::uint32_t alignment = part.alignment_bytes;
        const std::uint32_t usual = (end + alignment - 1) / alignment * alignment;
        if (members[i].offset_bytes < usual || members[i].offset_bytes % alignment != 0)
            throw compile_error(fmt::format("cuda: cannot express the layout {}: member {} overlaps or is not aligned",
                                            ir::print_type(module_, id), i), {}, {});
        if (members[i].offset_bytes != usual) pad_to(members[i].offset_bytes);
        std::string name = members[i].name.empty() ? fmt::format("m{}", i) : as_identifier(members[i].name);
        while (!taken.insert(name).second) name += '_';
        body += fmt::format("    {} {};\n", this->name(members[i].type), name);
        members_[id.number].push_back(std::move(name));
        end = members[i].offset_bytes + part.size_bytes;
        natural = std::max(natural, alignment);
    }
    const std::uint32_t alignment = std::max(natural, t.alignment_bytes);
    if ((end + alignment - 1) / alignment * alignment != t.size_bytes) pad_to(t.size_bytes);
    definitions_ += fmt::format("struct {}{} {{\n{}}};\n", t.alignment_bytes > natural ? fmt::format("__align__({}) ", t.alignment_bytes) : "",
                                structs_[id.number], body);
    definitions_ += fmt::format("static_assert(sizeof({}) == {}, \"the host's layout\");\n", structs_[id.number], t.size_bytes);
}

}  // namespace quern::cuda
