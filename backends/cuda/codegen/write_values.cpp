// Values: one expression each, by the rule of its op.
#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/codegen/writer.hpp"
#include "dsl/ir/effects.hpp"
#include "dsl/ir/keywords.hpp"

namespace quern::cuda {
namespace {

/// Replaces $0 $1 $2 by operands and each other $letter by what `named` says.
template <class F>
std::string fill_in(std::string_view text, std::span<const std::string> operands, F named) {
    std::string filled;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$') {
            filled += text[i];
            continue;
        }
        const char c = text[++i];
        if (c >= '0' && c <= '2') filled += operands[static_cast<std::size_t>(c - '0')];
        else filled += named(c);
    }
    return filled;
}

bool is_half(ir::scalar_kind k) { return k == ir::scalar_kind::f16 || k == ir::scalar_kind::bf16; }
bool begins_with_a_call(std::string_view text) { return text[0] >= 'a' && text[0] <= 'z'; }

std::string narrowed(ir::scalar_kind k, const std::string& value) {
    return fmt::format("{}({})", k == ir::scalar_kind::f16 ? "to_half" : "to_bfloat16", value);
}

}  // namespace

std::string cast(ir::scalar_kind to, ir::scalar_kind from, const std::string& value) {
    if (to == from) return value;
    if (is_half(from)) {
        const std::string wide = fmt::format("to_float({})", value);
        return to == ir::scalar_kind::f32 ? wide : cast(to, ir::scalar_kind::f32, wide);
    }
    if (to == ir::scalar_kind::boolean) return fmt::format("{} != {}", value, ir::is_float(from) ? "0.0f" : "0");
    if (is_half(to)) {
        // The conversions take no type narrower than 32 bits.
        const bool is_small = !ir::is_float(from) && ir::bit_width(from) < 32;
        return narrowed(to, is_small ? "(int)" + value : value);
    }
    if (ir::is_float(from) && !ir::is_float(to)) return fmt::format("to_integer<{}>({})", spelled(to), value);
    return fmt::format("({}){}", spelled(to), value);
}

std::string writer::use(ir::value_id v) const {
    const ir::value& record = module_[v];
    if (record.op == ir::op::constant) return literal(module_[record.type].scalar, record.immediate);
    if (record.op == ir::op::parameter) return names_.of_parameter(static_cast<std::uint32_t>(record.immediate));
    if (record.op == ir::op::buffer_size) {
        const auto parameter = static_cast<std::uint32_t>(record.immediate);
        const bool is_narrowed = ir::bit_width(module_[record.type].scalar) == 32 && is_size_wide(parameter);
        return (is_narrowed ? "(uint)" : "") + names_.of_size(parameter);
    }
    return names_.of_value(v);
}

bool writer::is_size_wide(std::uint32_t parameter) const {
    return std::ranges::any_of(facts_.parameters, [&](const entry_parameter& p) {
        return p.kind == entry_kind::size && p.parameter == parameter && p.size_bytes == 8;
    });
}

std::string writer::component(ir::value_id v, std::uint32_t c) const {
    return type_of(v).kind == ir::type_kind::vector ? fmt::format("{}.{}", use(v), ir::component_letters[c]) : use(v);
}

template <class F>
std::string writer::by_component(ir::value_id v, F each) const {
    const ir::type& t = type_of(v);
    if (t.kind != ir::type_kind::vector) return each(0u);
    std::string all = "{";
    for (std::uint32_t c = 0; c < t.count; ++c) all += (c == 0 ? "" : ", ") + each(c);
    return all + "}";
}

void writer::define(ir::value_id v) {
    const ir::value& record = module_[v];
    const bool is_built = record.op == ir::op::construct || record.op == ir::op::insert;
    if (is_built && type_of(v).kind == ir::type_kind::structure) return define_structure(v);
    if (record.op == ir::op::uniform_load) line("__syncthreads();");
    const std::string value = expression(v);
    if (type_of(v).kind == ir::type_kind::none) line(value + ";");
    else line(fmt::format("const {} {} = {};", types_.name(record.type), names_.of_value(v), value));
    if (record.op == ir::op::uniform_load) line("__syncthreads();");
}

void writer::define_structure(ir::value_id v) {
    const ir::value& record = module_[v];
    const std::string& name = names_.of_value(v);
    if (record.op == ir::op::insert) {
        line(fmt::format("{} {} = {};", types_.name(record.type), name, use(operand(v, 0))));
        const auto number = static_cast<std::uint32_t>(record.immediate);
        return line(fmt::format("{}.{} = {};", name, types_.member(record.type, number), use(operand(v, 1))));
    }
    line(fmt::format("{} {};", types_.name(record.type), name));
    for (std::uint32_t i = 0; i < type_of(v).count; ++i)
        line(fmt::format("{}.{} = {};", name, types_.member(record.type, i), use(operand(v, i))));
}

std::string writer::expression(ir::value_id v) const {
    const ir::value& record = module_[v];
    const rule& r = rule_of(record.op);
    switch (r.form) {
        case form::inline_leaf: return use(v);
        case form::position: return position(v);
        case form::elementwise: case form::compare: return elementwise(v);
        case form::select: return by_component(v, [&](std::uint32_t c) {
            return fmt::format("{} ? {} : {}", component(operand(v, 0), c), component(operand(v, 1), c), component(operand(v, 2), c));
        });
        case form::cast: return by_component(v, [&](std::uint32_t c) {
            return cast(type_of(v).scalar, type_of(operand(v, 0)).scalar, component(operand(v, 0), c));
        });
        case form::bit_cast: return fmt::format("bit_cast<{}>({})", types_.name(record.type), use(operand(v, 0)));
        case form::construct: {
            std::string parts;
            for (const ir::value_id o : module_.operands_of(v)) parts += (parts.empty() ? "" : ", ") + use(o);
            return type_of(v).kind == ir::type_kind::array ? "{{" + parts + "}}" : "{" + parts + "}";
        }
        case form::extract: return extracted(v);
        case form::insert: return replaced(v);
        case form::extract_dynamic: return chosen(v);
        case form::swizzle: return by_component(v, [&](std::uint32_t c) {
            return component(operand(v, 0), static_cast<std::uint32_t>(record.immediate >> (4 * c) & 15));
        });
        case form::load: case form::uniform_load: return load(module_.place_of(v));
        case form::atomic: {
            std::vector<std::string> operands;
            for (const ir::value_id o : module_.operands_of(v)) operands.push_back(use(o));
            return fill_in(r.unsigned_text, operands, [&](char) { return "&" + place(module_.place_of(v)).text; });
        }
        case form::reduce: case form::scan: case form::lanes: return over_warp(v);
        case form::ballot: return fmt::format("{{__ballot_sync({}, {}), 0u, 0u, 0u}}", warp_mask(), use(operand(v, 0)));
    }
    return {};
}

std::string writer::position(ir::value_id v) const {
    const ir::value& record = module_[v];
    return fill_in(rule_of(record.op).unsigned_text, {}, [&](char c) {
        return c == 'w' ? fmt::format("{}u", (facts_.threads + 31) / 32) : std::string(1, ir::component_letters[record.immediate]);
    });
}

/// The text of a scalar operation, with conversions around it where half and bfloat16 are computed in float.
std::string writer::element(ir::op code, ir::scalar_kind k, std::span<const std::string> operands) const {
    const std::string_view text = text_of(code, k);
    std::vector<std::string> used(operands.begin(), operands.end());
    const bool in_float = is_computed_in_float(code, k);
    if (in_float)
        for (std::string& o : used) o = fmt::format("to_float({})", o);
    std::string value = fill_in(text, used, [&](char c) {
        return c == 'm' ? fmt::format("{}", ir::bit_width(k) - 1) : std::string(spelled(k));
    });
    if (rule_of(code).form == form::compare) return value;
    if (in_float) return narrowed(k, value);
    const bool is_promoted = !ir::is_float(k) && ir::bit_width(k) < 32 && !begins_with_a_call(text);
    return is_promoted ? fmt::format("({})({})", spelled(k), value) : value;
}

std::string writer::elementwise(ir::value_id v) const {
    const ir::op code = module_[v].op;
    const ir::scalar_kind k = type_of(operand(v, 0)).scalar;
    if (const std::string plain = combined_with_constant(v); !plain.empty()) return plain;
    return by_component(v, [&](std::uint32_t c) {
        std::vector<std::string> operands;
        for (const ir::value_id o : module_.operands_of(v)) operands.push_back(component(o, c));
        return element(code, k, operands);
    });
}

/// C++'s own operator where the second operand is a constant that needs no guard or mask; empty for anything else.
std::string writer::combined_with_constant(ir::value_id v) const {
    const ir::value& record = module_[v];
    std::string_view sign;
    if (record.op == ir::op::div) sign = "/";
    if (record.op == ir::op::rem) sign = "%";
    if (record.op == ir::op::shl) sign = "<<";
    if (record.op == ir::op::shr) sign = ">>";
    const ir::scalar_kind k = type_of(v).scalar;
    if (sign.empty() || !ir::is_integer(k) || ir::bit_width(k) < 32 || module_[operand(v, 1)].op != ir::op::constant) return {};
    const std::uint64_t n = module_[operand(v, 1)].immediate;
    const std::uint64_t minus_one = ~std::uint64_t{0} >> (64 - ir::bit_width(k));
    const bool divides = record.op == ir::op::div || record.op == ir::op::rem;
    const bool is_harmless = divides ? n != 0 && !(ir::is_signed_integer(k) && n == minus_one)
                                     : n < ir::bit_width(k) && !(record.op == ir::op::shl && ir::is_signed_integer(k));
    if (!is_harmless) return {};
    return fmt::format("{} {} {}", use(operand(v, 0)), sign, divides ? use(operand(v, 1)) : fmt::format("{}", n));
}

std::string writer::over_warp(ir::value_id v) const {
    const ir::op code = module_[v].op;
    const rule& r = rule_of(code);
    const ir::scalar_kind k = type_of(v).scalar;
    const auto named = [&](char c) { return c == 'k' ? std::string(warp_mask()) : std::string(spelled(k)); };
    const std::string pair[] = {"a", "b"};
    return by_component(v, [&](std::uint32_t c) {
        std::vector<std::string> operands;
        for (const ir::value_id o : module_.operands_of(v)) operands.push_back(component(o, c));
        if (r.form == form::lanes) {
            const std::string value = fill_in(r.unsigned_text, operands, named);
            return value;
        }
        const std::string_view native = compute_capability_ >= 80 ? native_reduction(code, k) : std::string_view{};
        if (!native.empty()) return fill_in(native, operands, named);
        return fmt::format("{0}({1}, {2}, []({3} a, {3} b) {{ return {4}; }})", r.form == form::reduce ? "warp_reduce" : r.unsigned_text,
                           warp_mask(), operands[0], spelled(k), element(r.combination, k, pair));
    });
}

std::string writer::extracted(ir::value_id v) const {
    const ir::value_id whole = operand(v, 0);
    const auto number = static_cast<std::uint32_t>(module_[v].immediate);
    switch (type_of(whole).kind) {
        case ir::type_kind::array: return fmt::format("{}.at[{}]", use(whole), number);
        case ir::type_kind::structure: return fmt::format("{}.{}", use(whole), types_.member(module_[whole].type, number));
        case ir::type_kind::none: case ir::type_kind::scalar: case ir::type_kind::vector: break;
    }
    return component(whole, number);
}

std::string writer::replaced(ir::value_id v) const {
    return by_component(v, [&](std::uint32_t c) {
        return c == module_[v].immediate ? use(operand(v, 1)) : component(operand(v, 0), c);
    });
}

/// The component of a number known at run time, without memory.
std::string writer::chosen(ir::value_id v) const {
    const std::uint32_t count = type_of(operand(v, 0)).count;
    const std::string number = use(operand(v, 1));
    std::string text;
    for (std::uint32_t c = 0; c + 1 < count; ++c) text += fmt::format("{} == {} ? {} : ", number, c, component(operand(v, 0), c));
    return text + component(operand(v, 0), count - 1);
}

}  // namespace quern::cuda
