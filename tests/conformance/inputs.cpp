#include "tests/conformance/inputs.hpp"

#include <array>
#include <cstring>

#include "dsl/ir/float_format.hpp"
#include "tests/fuzz/random_stream.hpp"

namespace quern::tests {
namespace {

std::vector<std::uint64_t> integer_edges(ir::scalar_kind k) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - ir::bit_width(k));
    const std::uint64_t top = std::uint64_t{1} << (ir::bit_width(k) - 1);
    std::vector<std::uint64_t> edges;
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, mask, mask - 1, top, top + 1,
                                  top - 1, top - 2, std::uint64_t{7}, ~std::uint64_t{6}, std::uint64_t{31},
                                  std::uint64_t{32}, std::uint64_t{33}, std::uint64_t{63}, std::uint64_t{64},
                                  std::uint64_t{0x0123'4567'89ab'cdef}, std::uint64_t{0xaaaa'aaaa'aaaa'aaaa},
                                  std::uint64_t{(1u << 24) + 1}, std::uint64_t{0x0020'0000'0000'0001}})
        edges.push_back(n & mask);
    return edges;
}

std::vector<std::uint64_t> float_edges(ir::scalar_kind k) {
    const ir::float_format f = ir::format_of(k);
    const std::uint64_t one = ir::encode_float(k, 1.0), normal = std::uint64_t{1} << f.fraction_bits;
    std::vector<std::uint64_t> edges{0, f.sign_mask, 1, f.sign_mask | 1, normal - 1, normal, one + 1, one - 1,
                                     f.infinity - 1, f.sign_mask | (f.infinity - 1), f.infinity,
                                     f.sign_mask | f.infinity, f.infinity | normal >> 1};
    for (const double x : {1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -0.75, 0.1, -7.3, 100.25, 0x1p31, -0x1p31, 0x1p32, 0x1p63, -0x1p63, 0x1p64})
        edges.push_back(ir::encode_float(k, x));
    return edges;
}

std::uint64_t random_value(fuzz::random_stream& random, ir::scalar_kind k) {
    if (k == ir::scalar_kind::boolean) return random.below(2);
    const std::uint64_t bits = random.next() >> (64 - ir::bit_width(k));
    if (!ir::is_float(k)) return bits >> (random.chance(50) ? random.below(ir::bit_width(k)) : 0);
    if (random.chance(40)) return bits;
    return ir::encode_float(k, (static_cast<double>(random.below(1u << 24)) - 0x1p23) * (random.chance(50) ? 0x1p-23 : 0x1p-19));
}

/// -1, 1, 2 and ½ where the kind has it.
std::uint64_t small_value(fuzz::random_stream& random, ir::scalar_kind k) {
    if (k == ir::scalar_kind::boolean) return random.below(2);
    if (!ir::is_float(k)) return random.below(8);
    static constexpr std::array numbers{1.0, 1.0, 1.0, -1.0, 2.0, 0.5};
    return ir::encode_float(k, random.pick(numbers));
}

}  // namespace

std::vector<std::uint64_t> edge_values(ir::scalar_kind k) {
    if (k == ir::scalar_kind::boolean) return {0, 1};
    return ir::is_float(k) ? float_edges(k) : integer_edges(k);
}

bytes make_scalars(ir::scalar_kind k, std::size_t count, unsigned operand, range r) {
    const auto edges = edge_values(k);
    std::size_t stride = 1, product = edges.size();
    for (unsigned i = 0; i < operand; ++i) stride *= edges.size();
    product *= edges.size();
    fuzz::random_stream random(operand + 1);
    bytes result(count * ir::size_bytes(k));
    for (std::size_t i = 0; i < count; ++i) {
        const bool crossed = i < product || random.chance(30);
        const std::size_t edge = operand < 2 && i < product ? i / stride % edges.size() : random.below(edges.size());
        set_scalar(result, k, i, r == range::small ? small_value(random, k) : crossed ? edges[edge] : random_value(random, k));
    }
    return result;
}

std::uint64_t scalar_at(const bytes& b, ir::scalar_kind k, std::size_t i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, b.data() + i * ir::size_bytes(k), ir::size_bytes(k));
    return bits;
}

void set_scalar(bytes& b, ir::scalar_kind k, std::size_t i, std::uint64_t bits) {
    std::memcpy(b.data() + i * ir::size_bytes(k), &bits, ir::size_bytes(k));
}

}  // namespace quern::tests
