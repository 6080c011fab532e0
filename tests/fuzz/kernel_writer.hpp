// Writes one random kernel, statement by statement. Knows of every value how uniform it is, of the place it stands at
// who gets there together, and from that what may be said there. Deliberately asks none of the library's analyses.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "dsl/ir/builder.hpp"
#include "dsl/ir/uniformity.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/fuzz/random_stream.hpp"

namespace quern::fuzz {

using level = ir::uniformity;

class kernel_writer {
public:
    kernel_writer(std::uint64_t seed, const generator_options& options);
    trial write();

private:
    static constexpr std::uint32_t interleaved_slots = 4;

    struct known {
        ir::value_id id;
        shape type;
        bool used;
    };
    struct local {
        ir::variable_id variable;
        shape element;
        std::uint32_t count;  ///< elements of an array; 0: a plain variable
        level spread;         ///< least uniform content that it ever holds
    };
    struct input {
        std::uint32_t parameter;
        std::uint32_t count;
    };
    struct output {
        std::uint32_t parameter;
        bool interleaved;     ///< an invocation's slots are neighbours (four of them), or the invocations of a slot are
        bool readable;
        std::uint32_t slots;  ///< in use
    };
    /// Shared memory, or a part of a buffer for each workgroup, between the barriers where all may read it.
    struct exchanged {
        ir::root_kind root;
        std::uint32_t number;
        shape element;
        std::uint32_t count;
        enum class phase { free, written, readable } now;
    };

    // the plan: kernel_writer.cpp
    void choose_cells(std::uint64_t seed);
    void choose_launch();
    void choose_over();
    void choose_workgroups();
    void begin_body();
    void write_assigned_cells();
    void size_buffers();

    // control flow: write_control.cpp
    enum class ending { plain, may_leave };
    template <class Body>
    ir::block_id write_block(level control, ending e, Body body);
    ir::block_id empty_block();
    void write_actions(unsigned count);
    void write_action();
    void write_if();
    void write_for(std::optional<ir::scalar_kind> kind = {});
    void write_while();
    void write_switch();
    void write_assume();
    /// Appends break, continue or return if one is allowed here.
    void write_leaving();
    bool may_return() const;
    level loop_spread();
    std::uint32_t trip_limit() const;

    // expressions: write_expression.cpp
    void write_expression();
    bool usable(const cell& c) const;
    void write_cell(const cell& c, level limit);
    ir::value_id write_leaf(const cell& c, level limit);
    ir::value_id write_lane_cell(const cell& c);
    ir::value_id pick(shape s, level limit);
    std::optional<ir::value_id> pick_known(shape s, level limit);
    ir::value_id fresh(shape s, level limit);
    ir::value_id pick_or_constant(shape s, level limit);
    ir::value_id without_nan(ir::value_id v);
    ir::value_id interesting_constant(shape s);
    ir::value_id filled(shape s, std::uint64_t component_bits);
    ir::value_id number(std::uint64_t n, ir::scalar_kind k = ir::scalar_kind::u32);
    ir::value_id emit(ir::op code, std::span<const ir::value_id> operands, shape result, std::uint64_t immediate = 0,
                      level at_least = level::workgroup);
    ir::value_id emit(ir::op code, std::initializer_list<ir::value_id> operands, shape result,
                      std::uint64_t immediate = 0, level at_least = level::workgroup);
    ir::value_id remember(ir::value_id v);
    shape random_shape();
    level random_limit();
    bool in_palette(shape s) const;

    // memory: write_memory.cpp
    ir::value_id as_index(ir::value_id u32_value);
    ir::value_id below(std::uint32_t count, level limit);
    ir::value_id pick_or_constant_u32(level limit);
    ir::value_id permuted(std::uint32_t count);
    ir::value_id value_parameter(shape s);
    input& input_for(shape s);
    /// Elements that the linear indices of load_input may reach.
    std::uint32_t reached_by_linear_indices() const { return 3 * invocations_ + 16; }
    ir::value_id load_input(shape s, level limit);
    output& output_for(const cell& key, bool readable);
    ir::place_id owned_place(output& o, std::uint32_t slot);
    void store_output(const cell& key, ir::value_id v);
    void store_plain(ir::value_id v);
    std::optional<ir::value_id> load_owned();
    void store_unused(std::size_t first_known);
    void declare_local(std::optional<shape> s = {});
    void store_local();
    std::optional<ir::value_id> load_local(std::optional<shape> s, level limit);
    ir::place_id local_place(const local& l, level limit);
    void write_aliased();
    void add_alias();
    ir::value_id write_owned_atomic(const cell& c);
    void write_accumulation();
    void write_exchange(std::optional<shape> s = {});
    void write_shared_counters();
    ir::value_id load_exchanged(const exchanged& e, level limit);
    ir::place_id place(ir::root_kind root, std::uint32_t number, ir::value_id index);
    void store(ir::place_id p, ir::value_id v) { builder_.append(ir::store{p, v}); }

    level level_of(ir::value_id v) const { return levels_[v.number]; }
    level control() const { return std::max(control_, floor_); }
    ir::module& m() { return trial_.kernel; }

    generator_options options_;
    random_stream random_;
    trial trial_;
    ir::builder builder_;
    std::vector<cell> cells_;
    std::map<shape, std::vector<cell>> cells_of_;  ///< by the shape that they are about
    std::vector<cell> assigned_;                   ///< still to be written
    std::vector<shape> palette_;

    bool cooperative_ = false, exchanges_ = false, subgroups_ = false;
    bool aliases_ = false;       ///< then no buffer is known to stay the same, and no load is uniform
    std::array<std::uint32_t, 3> grid_{1, 1, 1};   ///< invocations in each dimension
    std::uint32_t invocations_ = 1;
    std::uint32_t group_invocations_ = 1;
    std::array<ir::value_id, 3> global_{};
    ir::value_id linear_;        ///< number of the invocation in the launch
    ir::value_id local_linear_;  ///< in its workgroup
    ir::value_id group_base_;    ///< number of the workgroup times its invocations

    std::vector<level> levels_;  ///< by value
    std::vector<known> known_;
    std::vector<local> locals_;
    std::vector<level> loops_;   ///< enclosing loops: who goes round them together
    std::vector<exchanged> exchanged_;
    std::map<shape, input> inputs_;
    std::map<shape, std::uint32_t> value_parameters_;
    std::map<cell, output> outputs_;
    level control_ = level::workgroup;  ///< by enclosing statements
    level floor_ = level::workgroup;    ///< by divergent returns
    unsigned depth_ = 0;
    unsigned actions_left_ = 0;
    unsigned open_exchanges_ = 0;
    std::uint32_t iterations_ = 1;      ///< most that the enclosing loops multiply to
    shape alias_shape_;
    std::array<std::uint32_t, 2> alias_{};  ///< one memory: read under the first parameter, written under the second
};

}  // namespace quern::fuzz
