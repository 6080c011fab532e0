#include "dsl/trace/constants.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace quern::trace {

namespace {

struct pool {
    std::mutex mutex;
    std::deque<host_constant> constants;  // a deque: references stay valid
    std::deque<std::string> mistakes;
};

pool& the_pool() {
    static pool p;
    return p;
}

}  // namespace

bool same_type(const quern_detail::type_desc& a, const quern_detail::type_desc& b) {
    if (&a == &b) return true;
    if (a.kind != b.kind || a.scalar != b.scalar || a.count != b.count || a.size_bytes != b.size_bytes) return false;
    switch (a.kind) {
        case quern_detail::type_kind::none:
        case quern_detail::type_kind::scalar:
        case quern_detail::type_kind::vector: return true;
        case quern_detail::type_kind::array: return same_type(*a.element, *b.element);
        case quern_detail::type_kind::structure:
            for (std::uint32_t i = 0; i < a.count; ++i)
                if (a.members[i].offset_bytes != b.members[i].offset_bytes ||
                    !same_type(*a.members[i].type, *b.members[i].type))
                    return false;
            return true;
    }
    return false;
}

quern_detail::node intern_constant(const quern_detail::type_desc& type, std::span<const std::byte> bytes) {
    pool& p = the_pool();
    const std::scoped_lock lock(p.mutex);
    for (std::size_t i = 0; i < p.constants.size(); ++i)
        if (same_type(*p.constants[i].type, type) && std::ranges::equal(p.constants[i].bytes, bytes))
            return {static_cast<std::uint32_t>(i), constant_trace};
    p.constants.push_back({&type, {bytes.begin(), bytes.end()}});
    return {static_cast<std::uint32_t>(p.constants.size() - 1), constant_trace};
}

const host_constant& constant_of(quern_detail::node n) {
    pool& p = the_pool();
    const std::scoped_lock lock(p.mutex);
    return p.constants[n.id];
}

quern_detail::node keep_mistake(std::string message) {
    pool& p = the_pool();
    const std::scoped_lock lock(p.mutex);
    for (std::size_t i = 0; i < p.mistakes.size(); ++i)
        if (p.mistakes[i] == message) return {static_cast<std::uint32_t>(i), mistake_trace};
    p.mistakes.push_back(std::move(message));
    return {static_cast<std::uint32_t>(p.mistakes.size() - 1), mistake_trace};
}

std::string mistake_of(quern_detail::node n) {
    pool& p = the_pool();
    const std::scoped_lock lock(p.mutex);
    return p.mistakes[n.id];
}

}  // namespace quern::trace
