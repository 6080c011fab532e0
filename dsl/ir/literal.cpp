#include "dsl/ir/literal.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "dsl/ir/evaluate.hpp"

namespace quern::ir {
namespace {

std::uint64_t convert(scalar_kind to, scalar_kind from, std::uint64_t bits) {
    return to == from ? bits : evaluate(op::cast, to, from, std::span(&bits, 1));
}

/// Half and bfloat16 are written as the float of the same value.
constexpr scalar_kind written_as(scalar_kind k) { return k == scalar_kind::f64 ? k : scalar_kind::f32; }

template <class T>
std::optional<T> read_number(std::string_view text, int base = 10) {
    T value{};
    std::from_chars_result r{};
    if constexpr (std::is_floating_point_v<T>)
        r = std::from_chars(text.data(), text.data() + text.size(), value);
    else
        r = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) return {};
    return value;
}

template <class T>
std::string shortest(T value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

struct special {
    std::string_view name;
    double value;
};
constexpr std::array specials{special{"inf", std::numeric_limits<double>::infinity()},
                              special{"-inf", -std::numeric_limits<double>::infinity()},
                              special{"nan", std::numeric_limits<double>::quiet_NaN()}};

std::uint64_t special_bits(scalar_kind k, double value) {
    switch (k) {
        case scalar_kind::f64: return std::bit_cast<std::uint64_t>(value);
        case scalar_kind::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        case scalar_kind::bf16: return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
        case scalar_kind::f16: return (std::isnan(value) ? 0x7e00u : 0x7c00u) | (std::signbit(value) ? 0x8000u : 0u);
        case scalar_kind::none:
        case scalar_kind::boolean:
        case scalar_kind::i8:
        case scalar_kind::i16:
        case scalar_kind::i32:
        case scalar_kind::i64:
        case scalar_kind::u8:
        case scalar_kind::u16:
        case scalar_kind::u32:
        case scalar_kind::u64: return 0;
    }
    return 0;
}

std::string print_bits(literal l) {
    if (is_float(l.kind))
        for (const special& s : specials)
            if (special_bits(l.kind, s.value) == l.bits) return fmt::format("{}({})", name(l.kind), s.name);
    return fmt::format("{}({:#x})", name(l.kind), l.bits);
}

std::string print_float(literal l) {
    const std::uint64_t wide = convert(written_as(l.kind), l.kind, l.bits);
    const std::string digits = l.kind == scalar_kind::f64
                                   ? shortest(std::bit_cast<double>(wide))
                                   : shortest(std::bit_cast<float>(static_cast<std::uint32_t>(wide)));
    return digits + std::string(name(l.kind));
}

std::int64_t sign_extend(literal l) {
    const std::uint32_t spare = 64 - bit_width(l.kind);
    return static_cast<std::int64_t>(l.bits << spare) >> spare;
}

std::optional<literal> read_value(scalar_kind k, std::string_view digits) {
    if (is_float(k)) {
        std::optional<std::uint64_t> wide;
        if (k == scalar_kind::f64) {
            if (const auto v = read_number<double>(digits)) wide = std::bit_cast<std::uint64_t>(*v);
        } else {
            if (const auto v = read_number<float>(digits)) wide = std::bit_cast<std::uint32_t>(*v);
        }
        if (!wide) return {};
        return literal{k, convert(k, written_as(k), *wide)};
    }
    if (is_signed_integer(k)) {
        const auto v = read_number<std::int64_t>(digits);
        if (!v) return {};
        const literal l{k, static_cast<std::uint64_t>(*v) & (~std::uint64_t{0} >> (64 - bit_width(k)))};
        return sign_extend(l) == *v ? std::optional(l) : std::nullopt;
    }
    const auto v = read_number<std::uint64_t>(digits);
    return v && fits({k, *v}) ? std::optional(literal{k, *v}) : std::nullopt;
}

}  // namespace

std::string print_literal(literal l) {
    if (l.kind == scalar_kind::none || !fits(l)) return print_bits(l);
    if (l.kind == scalar_kind::boolean) return l.bits != 0 ? "true" : "false";
    if (is_signed_integer(l.kind)) return fmt::format("{}{}", sign_extend(l), name(l.kind));
    if (is_unsigned_integer(l.kind)) return fmt::format("{}{}", l.bits, name(l.kind));
    std::string text = print_float(l);
    const auto back = parse_literal(text);
    return back && back->bits == l.bits ? text : print_bits(l);
}

std::optional<literal> parse_literal(std::string_view text) {
    if (text == "true" || text == "false") return literal{scalar_kind::boolean, text == "true" ? 1u : 0u};
    if (text.empty() || text.find_first_not_of("0123456789.-+abcdefghijklmnopqrstuvwxyz") != std::string_view::npos)
        return {};
    // The last letter that a suffix may begin with starts it: "bf16" before "f16".
    for (const scalar_kind k :
         {scalar_kind::i8, scalar_kind::i16, scalar_kind::i32, scalar_kind::i64, scalar_kind::u8, scalar_kind::u16,
          scalar_kind::u32, scalar_kind::u64, scalar_kind::bf16, scalar_kind::f16, scalar_kind::f32, scalar_kind::f64})
        if (text.ends_with(name(k))) {
            const std::string_view digits = text.substr(0, text.size() - name(k).size());
            // "inf" and "nan" are written with their bits.
            if (digits.find_first_not_of("0123456789.-+e") != std::string_view::npos) return {};
            return read_value(k, digits);
        }
    return {};
}

std::optional<literal> parse_literal_bits(scalar_kind kind, std::string_view text) {
    if (kind == scalar_kind::none) return {};
    if (is_float(kind))
        for (const special& s : specials)
            if (s.name == text) return literal{kind, special_bits(kind, s.value)};
    if (!text.starts_with("0x")) return {};
    const auto bits = read_number<std::uint64_t>(text.substr(2), 16);
    return bits && fits({kind, *bits}) ? std::optional(literal{kind, *bits}) : std::nullopt;
}

}  // namespace quern::ir
