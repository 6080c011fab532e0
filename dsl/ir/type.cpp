#include "dsl/ir/type.hpp"

#include <algorithm>
#include <array>

#include "dsl/ir/builder.hpp"

namespace quern::ir {
namespace {

constexpr std::array<std::string_view, 14> scalar_names{"none", "bool", "i8",  "i16", "i32",  "i64", "u8",
                                                        "u16",  "u32",  "u64", "f16", "bf16", "f32", "f64"};
static_assert(scalar_names.size() == static_cast<std::size_t>(scalar_kind::f64) + 1);

bool same_members(const module& m, slice have, std::span<const member> wanted) {
    const auto first = m.members.begin() + have.first;
    return std::equal(first, first + have.count, wanted.begin(), wanted.end(), [](const member& a, const member& b) {
        return a.offset_bytes == b.offset_bytes && a.type == b.type;
    });
}

/// Kernels use a handful of types, so that a search is cheaper than any map.
type_id intern_record(module& m, const type& wanted, std::span<const member> members) {
    for (std::size_t i = 0; i < m.types.size(); ++i) {
        const type& t = m.types[i];
        if (t.kind == wanted.kind && t.scalar == wanted.scalar && t.count == wanted.count &&
            t.size_bytes == wanted.size_bytes && t.alignment_bytes == wanted.alignment_bytes &&
            t.element == wanted.element && same_members(m, t.members, members))
            return {static_cast<std::uint32_t>(i)};
    }
    type added = wanted;
    added.members = {static_cast<std::uint32_t>(m.members.size()), static_cast<std::uint32_t>(members.size())};
    m.members.insert(m.members.end(), members.begin(), members.end());
    m.types.push_back(added);
    return {static_cast<std::uint32_t>(m.types.size() - 1)};
}

}  // namespace

std::string_view name(scalar_kind k) { return scalar_names[static_cast<std::size_t>(k)]; }

scalar_kind find_scalar(std::string_view name) {
    const auto found = std::find(scalar_names.begin(), scalar_names.end(), name);
    return found == scalar_names.end() ? scalar_kind::none : static_cast<scalar_kind>(found - scalar_names.begin());
}

type_id intern_none(module& m) { return intern_record(m, {.size_bytes = 0}, {}); }

type_id intern_scalar(module& m, scalar_kind k) {
    const std::uint32_t size = size_bytes(k);
    return intern_record(m, {.kind = type_kind::scalar, .scalar = k, .size_bytes = size, .alignment_bytes = size}, {});
}

type_id intern_vector(module& m, scalar_kind k, std::uint32_t components) {
    const type_id element = intern_scalar(m, k);
    return intern_record(m,
                         {.kind = type_kind::vector,
                          .scalar = k,
                          .count = components,
                          .size_bytes = components * size_bytes(k),
                          .alignment_bytes = size_bytes(k),
                          .element = element},
                         {});
}

type_id intern_array(module& m, type_id element, std::uint32_t count) {
    return intern_record(m,
                         {.kind = type_kind::array,
                          .count = count,
                          .size_bytes = count * m[element].size_bytes,
                          .alignment_bytes = m[element].alignment_bytes,
                          .element = element},
                         {});
}

type_id intern_struct(module& m, std::span<const member> members, std::uint32_t size_bytes,
                      std::uint32_t alignment_bytes) {
    return intern_record(m,
                         {.kind = type_kind::structure,
                          .count = static_cast<std::uint32_t>(members.size()),
                          .size_bytes = size_bytes,
                          .alignment_bytes = alignment_bytes},
                         members);
}

type_id intern(module& m, const quern_detail::type_desc& description) {
    switch (description.kind) {
        case type_kind::none: return intern_none(m);
        case type_kind::scalar: return intern_scalar(m, description.scalar);
        case type_kind::vector: return intern_vector(m, description.scalar, description.count);
        case type_kind::array: return intern_array(m, intern(m, *description.element), description.count);
        case type_kind::structure: {
            std::vector<member> members;
            for (std::uint32_t i = 0; i < description.count; ++i) {
                const quern_detail::member_desc& d = description.members[i];
                members.push_back({d.offset_bytes, intern(m, *d.type), d.name});
            }
            return intern_struct(m, members, description.size_bytes, description.alignment_bytes);
        }
    }
    return {};
}

}  // namespace quern::ir
