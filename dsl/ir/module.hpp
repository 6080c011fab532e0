// One kernel: arenas of types, values, places, variables and blocks, and the side tables beside them.
// Owns everything by value; copying a module copies the kernel.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsl/ir/statement.hpp"
#include "dsl/ir/type.hpp"
#include "dsl/ir/value.hpp"

namespace quern::ir {

enum class math_mode : std::uint8_t { contract, precise, fast };

/// How the kernel is launched: exact extents guarded by the library, whole workgroups, or covered tiles.
enum class launch_kind : std::uint8_t { over, groups, tiles };

struct location {
    file_id file{};
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

struct module {
    std::string name;                               ///< of the kernel; not hashed
    launch_kind launch = launch_kind::over;
    std::array<std::uint32_t, 3> workgroup_size{};  ///< all 0: left open
    std::array<std::uint32_t, 2> covers{};          ///< tile extents of launch_kind::tiles; all 0: not said
    math_mode math = math_mode::contract;
    bool cooperative = false;  ///< uses local_id, workgroup_id, shared, barrier or subgroup operations

    std::vector<parameter> parameters;
    std::vector<type> types;
    std::vector<member> members;
    std::vector<value> values;
    std::vector<value_id> operands;
    std::vector<place> places;
    std::vector<step> steps;
    std::vector<variable> variables;
    std::vector<block> blocks;
    std::vector<switch_case> cases;
    block_id body;

    // side tables: never hashed, never needed to understand the kernel
    std::vector<std::string> files;
    std::vector<location> locations;
    std::vector<location_id> value_locations;     ///< by value; may be shorter than values
    std::vector<std::string> value_names;         ///< by value, empty if unknown; may be shorter
    std::vector<std::string> variable_names;      ///< likewise
    std::vector<std::string> parameter_names;     ///< likewise

    const type& operator[](type_id i) const { return types[i.number]; }
    const value& operator[](value_id i) const { return values[i.number]; }
    const place& operator[](place_id i) const { return places[i.number]; }
    const variable& operator[](variable_id i) const { return variables[i.number]; }
    const block& operator[](block_id i) const { return blocks[i.number]; }
    block& operator[](block_id i) { return blocks[i.number]; }
    value& operator[](value_id i) { return values[i.number]; }

    std::span<const value_id> operands_of(value_id i) const { return of(operands, values[i.number].operands); }
    std::span<const step> steps_of(place_id i) const { return of(steps, places[i.number].steps); }
    std::span<const member> members_of(type_id i) const { return of(members, types[i.number].members); }
    std::span<const switch_case> cases_of(const switch_statement& s) const { return of(cases, s.cases); }
    /// The place of a load or atomic.
    place_id place_of(value_id i) const { return {static_cast<std::uint32_t>(values[i.number].immediate)}; }
    const type& type_of(value_id i) const { return types[values[i.number].type.number]; }

private:
    template <class T>
    static std::span<const T> of(const std::vector<T>& pool, slice s) {
        return std::span<const T>(pool).subspan(s.first, s.count);
    }
};

}  // namespace quern::ir
