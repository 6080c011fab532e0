// Host constants that exist outside traces (`static val k = 2.f;`), interned for the life of the process, and the
// mistakes that were made outside a trace, kept until someone uses them.
#pragma once

#include <quern/detail/record.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace quern::trace {

/// node::trace of a constant, and of a mistake, that belong to no trace. Traces are numbered from 1.
inline constexpr std::uint32_t constant_trace = 0;
inline constexpr std::uint32_t mistake_trace = 0xffff'fffeu;

struct host_constant {
    const quern_detail::type_desc* type;
    std::vector<std::byte> bytes;
};

/// The node of these bytes; equal constants share one.
quern_detail::node intern_constant(const quern_detail::type_desc& type, std::span<const std::byte> bytes);
/// The constant of a node with trace == constant_trace; the reference stays valid.
const host_constant& constant_of(quern_detail::node n);

quern_detail::node keep_mistake(std::string message);
std::string mistake_of(quern_detail::node n);

/// Structural equality of descriptions; names do not count.
bool same_type(const quern_detail::type_desc& a, const quern_detail::type_desc& b);

}  // namespace quern::trace
