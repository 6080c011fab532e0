// Where the parts of a type lie in memory: as the host lays it out, or spread over lanes (each scalar a vector of
// `lanes` elements) as local variables and spilled values are stored.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::cpu::codegen {

/// One scalar of a type and its place in bytes.
struct leaf {
    ir::scalar_kind kind = ir::scalar_kind::none;
    std::uint64_t offset_bytes = 0;
};

class layout {
public:
    /// The host's own layout.
    static layout host(const ir::module& m) { return {m, 0}; }
    /// Every scalar becomes `lanes` neighbours, aligned to their size.
    static layout spread(const ir::module& m, std::uint32_t lanes) { return {m, lanes}; }

    bool is_host() const { return lanes_ == 0; }
    std::uint32_t lanes() const { return lanes_; }

    std::uint64_t size_bytes(ir::type_id t) const;
    std::uint64_t alignment_bytes(ir::type_id t) const;
    /// Distance between elements of an array or components of a vector.
    std::uint64_t stride_bytes(ir::type_id t) const;
    /// Offset of a struct's member or a vector's component.
    std::uint64_t member_offset_bytes(ir::type_id t, std::uint32_t member) const;
    /// All scalars in order, offsets relative to the start of `t`.
    std::vector<leaf> leaves(ir::type_id t) const;

private:
    layout(const ir::module& m, std::uint32_t lanes) : module_(m), lanes_(lanes) {}
    std::uint64_t scalar_bytes(ir::scalar_kind k) const { return std::uint64_t{ir::size_bytes(k)} * (lanes_ ? lanes_ : 1); }
    void append_leaves(ir::type_id t, std::uint64_t offset, std::vector<leaf>& out) const;

    const ir::module& module_;
    std::uint32_t lanes_;
};

/// Type of an element of an array, a component of a vector, or a member of a struct.
ir::type_id part_type(const ir::module& m, ir::type_id t, std::uint32_t member = 0);
/// How many scalars a value of this type has.
std::uint32_t leaf_count(const ir::module& m, ir::type_id t);

}  // namespace quern::cpu::codegen
