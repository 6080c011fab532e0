#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "dsl/ir/accuracy.hpp"
#include "tests/fuzz/experiment.hpp"
#include "tests/fuzz/random_stream.hpp"

namespace quern::fuzz {

namespace {

/// By parameter: how many units in the last place its floats may differ.
std::vector<std::uint32_t> tolerances(const ir::module& m) {
    std::vector<std::uint32_t> result(m.parameters.size(), 0);
    for (const ir::block& b : m.blocks)
        for (const ir::statement& s : b.statements) {
            const auto* stored = std::get_if<ir::store>(&s);
            if (stored == nullptr || m[stored->place].root != ir::root_kind::parameter) continue;
            const ir::value& v = m[stored->value];
            if (ir::info(v.op).effect != ir::effect::pure) continue;
            const auto bound = ir::max_ulp(v.op, m[v.type].scalar);
            std::uint32_t& tolerance = result[m[stored->place].number];
            tolerance = std::max(tolerance, bound.value_or(0));
        }
    return result;
}

/// The bits as a number that grows by one from each float to the next larger one.
std::int64_t rank(fuzz::float_format f, std::uint64_t bits) {
    const std::uint64_t sign = std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits);
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

bool is_nan(fuzz::float_format f, std::uint64_t bits) {
    const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
    return (bits & ((std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits)) - 1)) > infinity;
}

bool agree(ir::scalar_kind k, std::uint64_t a, std::uint64_t b, std::uint32_t tolerance) {
    if (a == b) return true;
    if (!ir::is_float(k)) return false;
    const fuzz::float_format f = format_of(k);
    if (is_nan(f, a) || is_nan(f, b)) return is_nan(f, a) && is_nan(f, b);
    if (tolerance == 0) return false;
    const std::int64_t distance = rank(f, a) - rank(f, b);
    return distance <= std::int64_t{tolerance} && -distance <= std::int64_t{tolerance};
}

/// Where two objects of a type differ, as the path to the part and both values; empty where they agree.
std::string difference(const ir::module& m, ir::type_id id, const std::byte* a, const std::byte* b,
                       std::uint32_t tolerance) {
    const ir::type& t = m[id];
    switch (t.kind) {
        case ir::type_kind::none: break;
        case ir::type_kind::scalar: case ir::type_kind::vector: {
            const std::uint32_t size = ir::size_bytes(t.scalar);
            for (std::uint32_t i = 0; i < t.count; ++i) {
                std::uint64_t expected = 0, found = 0;
                std::memcpy(&expected, a + i * size, size);
                std::memcpy(&found, b + i * size, size);
                if (!agree(t.scalar, expected, found, tolerance))
                    return fmt::format("{}: expected {:#x}, found {:#x}",
                                       t.kind == ir::type_kind::scalar ? "" : fmt::format(".{}", "xyzw"[i]), expected,
                                       found);
            }
            break;
        }
        case ir::type_kind::array:
            for (std::uint32_t i = 0; i < t.count; ++i) {
                const std::uint32_t offset = i * m[t.element].size_bytes;
                const std::string text = difference(m, t.element, a + offset, b + offset, tolerance);
                if (!text.empty()) return fmt::format("[{}]{}", i, text);
            }
            break;
        case ir::type_kind::structure:
            for (const ir::member& part : m.members_of(id)) {
                const std::string text = difference(m, part.type, a + part.offset_bytes, b + part.offset_bytes, tolerance);
                if (!text.empty()) return fmt::format(".{}{}", part.name, text);
            }
            break;
    }
    return {};
}

}  // namespace

std::optional<std::string> find_difference(const ir::module& m, const std::vector<std::vector<std::byte>>& expected,
                                           const std::vector<std::vector<std::byte>>& found) {
    const std::vector<std::uint32_t> tolerance = tolerances(m);
    for (std::size_t p = 0; p < expected.size(); ++p) {
        const ir::type_id type = m.parameters[p].type;
        const std::uint32_t size = m[type].size_bytes;
        for (std::size_t i = 0; i * size < expected[p].size(); ++i) {
            const std::string text =
                difference(m, type, expected[p].data() + i * size, found[p].data() + i * size, tolerance[p]);
            if (!text.empty()) return fmt::format("parameter {} element {}{}", p, i, text);
        }
    }
    return std::nullopt;
}

}  // namespace quern::fuzz
