// Types as flat rows of scalar components: how the interpreter holds values, and where each component lies in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsl/ir/module.hpp"

namespace quern::reference {

/// One scalar of a type.
struct leaf {
    ir::scalar_kind kind = ir::scalar_kind::none;
    std::uint32_t offset_bytes = 0;
};

/// The flat form of every type of a module.
class layouts {
public:
    explicit layouts(const ir::module& m);

    std::span<const leaf> leaves(ir::type_id t) const { return leaves_[t.number]; }
    std::uint32_t components(ir::type_id t) const { return static_cast<std::uint32_t>(leaves_[t.number].size()); }
    /// Number of parts that the type has: vector components, array elements or members.
    std::uint32_t parts(ir::type_id t) const { return module_[t].kind == ir::type_kind::scalar ? 0 : module_[t].count; }
    ir::type_id part_type(ir::type_id t, std::uint32_t part) const;
    std::uint32_t part_offset_bytes(ir::type_id t, std::uint32_t part) const;
    /// Flat number of the part's first component.
    std::uint32_t part_first(ir::type_id t, std::uint32_t part) const;

    /// Components from bytes in host layout and back; a bool is a byte of which any nonzero value is true.
    void read(ir::type_id t, const std::byte* from, std::uint64_t* to) const;
    void write(ir::type_id t, const std::uint64_t* from, std::byte* to) const;

private:
    void add(ir::type_id t);

    const ir::module& module_;
    std::vector<std::vector<leaf>> leaves_;
};

}  // namespace quern::reference
