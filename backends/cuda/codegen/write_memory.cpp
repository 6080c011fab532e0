// Places, loads and stores: as wide as the alignment that is known, read-only where nothing writes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backends/cuda/codegen/writer.hpp"
#include "dsl/ir/keywords.hpp"

namespace quern::cuda {
namespace {

/// Larger values are copied as C++ copies them: words of their own would only fill registers.
constexpr std::uint32_t most_worded_bytes = 64;

std::string_view word_name(std::uint32_t size_bytes) {
    switch (size_bytes) {
        case 16: return "uint4";
        case 8: return "uint2";
        case 4: return "unsigned int";
        case 2: return "unsigned short";
        default: return "unsigned char";
    }
}

std::uint32_t lowest_bit(std::uint32_t n) { return n == 0 ? wide_bytes : std::min(wide_bytes, 1u << std::countr_zero(n)); }

/// Bytes of the widest word in which a value may be moved.
std::uint32_t word_bytes(const ir::type& t, std::uint32_t alignment) { return std::min(alignment, lowest_bit(t.size_bytes)); }

}  // namespace

writer::place_text writer::place(ir::place_id id) const {
    const ir::place& p = module_[id];
    const bool is_buffer = p.root == ir::root_kind::parameter;
    ir::type_id inside = is_buffer ? module_.parameters[p.number].type : module_.variables[p.number].type;
    place_text at;
    at.text = is_buffer ? names_.of_parameter(p.number) : names_.of_variable(p.number);
    if (is_buffer) at.alignment = element_alignment(module_[inside]);
    else if (module_.variables[p.number].storage == ir::storage::shared) at.alignment = wide_bytes;
    else at.alignment = module_[inside].alignment_bytes;

    bool is_element = is_buffer;  // the next index selects an element of the buffer
    for (const ir::step& s : module_.steps_of(id)) {
        const ir::type& whole = module_[inside];
        if (is_element) {
            at.text += fmt::format("[{}]", use(s.index));
            is_element = false;
            continue;
        }
        if (s.kind == ir::step::kind::index) {
            if (whole.kind == ir::type_kind::vector) at.text = fmt::format("(&{}.x)[{}]", at.text, use(s.index));
            else at.text += fmt::format(".at[{}]", use(s.index));
            inside = whole.element;
            at.alignment = std::min(at.alignment, lowest_bit(module_[inside].size_bytes));
        } else if (whole.kind == ir::type_kind::structure) {
            const ir::member& member = module_.members_of(inside)[s.member];
            at.text += "." + types_.member(inside, s.member);
            inside = member.type;
            at.alignment = std::min(at.alignment, lowest_bit(member.offset_bytes));
        } else {
            at.text += fmt::format(".{}", ir::component_letters[s.member]);
            inside = whole.element;
            at.alignment = std::min(at.alignment, lowest_bit(s.member * module_[inside].size_bytes));
        }
    }
    at.alignment = std::max(at.alignment, module_[p.type].alignment_bytes);
    return at;
}

std::string writer::load(ir::place_id id) const {
    const ir::place& p = module_[id];
    const ir::type& t = module_[p.type];
    const place_text at = place(id);
    const bool is_buffer = p.root == ir::root_kind::parameter;
    const bool is_read_only = is_buffer && unchanging_[p.number];
    if (t.scalar == ir::scalar_kind::boolean && is_buffer) {
        // A byte of the host's may be any number.
        if (t.kind == ir::type_kind::scalar) return fmt::format("*(const uint8*)&{} != 0", at.text);
        std::string all;
        for (std::uint32_t c = 0; c < t.count; ++c)
            all += fmt::format("{}((const uint8*)&{})[{}] != 0", c == 0 ? "" : ", ", at.text, c);
        return "{" + all + "}";
    }
    const bool is_half = t.scalar == ir::scalar_kind::f16 || t.scalar == ir::scalar_kind::bf16;
    if (t.kind == ir::type_kind::scalar && !is_half) return is_read_only ? fmt::format("__ldg(&{})", at.text) : at.text;
    const std::uint32_t word = word_bytes(t, at.alignment);
    const bool is_wider = word > t.alignment_bytes;
    if (t.size_bytes > most_worded_bytes || !(is_read_only || is_wider)) return at.text;
    return fmt::format("{}<{}>(&{})", is_read_only ? "read_only" : "wide_load", word_name(word), at.text);
}

std::string writer::store(ir::place_id id, const std::string& value) const {
    const ir::place& p = module_[id];
    const ir::type& t = module_[p.type];
    const place_text at = place(id);
    const bool is_local = p.root == ir::root_kind::variable && module_.variables[p.number].storage == ir::storage::local;
    const std::uint32_t word = word_bytes(t, at.alignment);
    const bool is_wider = !is_local && t.kind != ir::type_kind::scalar && word > t.alignment_bytes && t.size_bytes <= most_worded_bytes;
    if (!is_wider) return fmt::format("{} = {};", at.text, value);
    return fmt::format("wide_store<{}>(&{}, {});", word_name(word), at.text, value);
}

}  // namespace quern::cuda
