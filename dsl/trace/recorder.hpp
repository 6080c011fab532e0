// The recorder of one trace: nodes that float until a statement uses them, places, and the stack of open blocks.
// One per thread at a time; the thread-local pointer to it is the only thread-local state of the language.
#pragma once

#include <quern/detail/record.hpp>
#include <quern/target.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/ir/module.hpp"
#include "dsl/trace/trace_kernel.hpp"

namespace quern::trace {

class recorder {
public:
    recorder(const request& r, std::span<const quern_detail::parameter_desc> parameters);
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;

    /// The recorder of the trace in progress on this thread, or null.
    static recorder* current();

    /// Closes the body and hands the module out; throws what was noticed where nothing could be thrown.
    ir::module finish();

    // nodes
    quern_detail::node constant(const quern_detail::type_desc& type, std::span<const std::byte> bytes);
    quern_detail::node operation(ir::op code, const quern_detail::type_desc& type, std::span<const quern_detail::node> operands,
                           std::uint64_t immediate) {
        return operation(code, type_of(type), operands, immediate);
    }
    /// The member of a struct's value at the end of a path.
    quern_detail::node member(quern_detail::node whole, std::span<const std::uint32_t> path);
    /// An element of an array's value: extracted at a constant index, else read from a variable that holds the array.
    quern_detail::node array_element(quern_detail::node whole, quern_detail::node index, const quern_detail::type_desc& array,
                                     const quern_detail::type_desc& element, const quern_detail::location& where);
    quern_detail::node mistake(std::string message);
    quern_detail::node name_value(quern_detail::node n, const quern_detail::location& where);
    quern_detail::node pin(ir::op code, const quern_detail::type_desc& type, std::span<const quern_detail::node> operands,
                     std::uint64_t immediate, const quern_detail::location& where);

    // memory
    quern_detail::place_handle parameter_place(std::uint32_t number);
    quern_detail::place_handle variable(const quern_detail::type_desc& type, const quern_detail::node* initial, ir::storage storage,
                                  const quern_detail::location& where);
    quern_detail::place_handle array(const quern_detail::type_desc& element, ir::storage storage,
                               std::span<const std::size_t> extents, const quern_detail::location& where);
    quern_detail::place_handle element(quern_detail::place_handle base, quern_detail::node index, const quern_detail::location& where);
    quern_detail::place_handle component(quern_detail::place_handle base, std::uint32_t number);
    quern_detail::node load(ir::op code, quern_detail::place_handle place, const quern_detail::type_desc& type,
                      const quern_detail::location* where);
    quern_detail::node atomic(ir::op code, const quern_detail::type_desc& type, quern_detail::place_handle place,
                        std::span<const quern_detail::node> operands, const quern_detail::location& where);
    void store(quern_detail::place_handle place, quern_detail::node value, const quern_detail::location& where);

    // control flow; the end_ functions never throw, since destructors call them
    void begin_if(quern_detail::node condition, const quern_detail::location& where);
    void begin_else();
    void enter_else();
    void end_if();
    quern_detail::node begin_for(quern_detail::node first, quern_detail::node last, quern_detail::node step, const quern_detail::type_desc& type,
                           const quern_detail::location& where);
    void end_for();
    void begin_while(const quern_detail::location& where);
    void begin_while_body(quern_detail::node condition, const quern_detail::location& where);
    void end_while();
    void begin_switch(quern_detail::node selector, const quern_detail::type_desc& type, const quern_detail::location& where);
    void begin_case(std::uint64_t literal);
    void begin_otherwise();
    void end_case();
    void end_switch();
    /// break, continue, return: what follows in the block is unreachable and not recorded.
    void leave(ir::statement s, const quern_detail::location& where);
    void append(ir::statement s, const quern_detail::location& where);
    void assume(quern_detail::node condition, const quern_detail::location& where);

    // what the kernel says of itself
    void set_workgroup_size(std::uint64_t x, std::uint64_t y, std::uint64_t z, const quern_detail::location& where);
    void set_covers(std::uint64_t m, std::uint64_t n, const quern_detail::location& where);
    void set_math_mode(ir::math_mode mode, const quern_detail::location& where);
    std::int64_t tunable_value(const char* name, std::span<const std::int64_t> values, const quern_detail::location& where);
    void require(bool holds) { requirements_met_ &= holds; }
    const target_info& target() const { return *request_.target; }

    const std::vector<tunable>& tunables() const { return tunables_; }
    bool requirements_met() const { return requirements_met_; }
    [[noreturn]] void fail(const std::string& message, const quern_detail::location& where) const;
    const quern_detail::location& last_location() const { return last_location_; }

private:
    enum class node_kind : std::uint8_t { floating, pinned, mistake };
    /// A floating node is emitted where it is first used, and again where that block is closed; a pinned one lives in
    /// its block only. `number` is the message of a mistake.
    struct node_record {
        node_kind kind = node_kind::floating;
        ir::op op = ir::op::constant;
        ir::type_id type;
        ir::slice operands;
        std::uint64_t immediate = 0;
        ir::block_id block;
        ir::value_id value;
        std::uint32_t number = 0;
    };
    struct node_hash {
        const recorder* self;
        std::size_t operator()(std::uint32_t id) const;
    };
    struct node_equal {
        const recorder* self;
        bool operator()(std::uint32_t a, std::uint32_t b) const;
    };
    struct place_record {
        ir::place place;
        ir::block_id block;
        ir::place_id id;  ///< in the module, once it was used
    };
    enum class frame_kind : std::uint8_t { then, between, otherwise, loop_for, loop_head, loop_while, cases, one_case };
    struct frame {
        frame_kind kind;
        quern_detail::location where;
        ir::statement statement;
        std::size_t first_case = 0;
        std::uint64_t literal = 0;
        bool is_default = false;
    };

    ir::type_id type_of(const quern_detail::type_desc& d);
    quern_detail::node operation(ir::op code, ir::type_id type, std::span<const quern_detail::node> operands,
                                 std::uint64_t immediate);
    std::uint32_t resolve(quern_detail::node n);
    quern_detail::node handle(std::uint32_t id) const { return {id, serial_}; }
    ir::value_id materialise(quern_detail::node n, const quern_detail::location& where);
    ir::value_id emit(node_record& r);
    std::uint32_t intern(const node_record& r);
    place_record& place_at(quern_detail::place_handle p, const quern_detail::location& where);
    ir::place_id use_place(quern_detail::place_handle p, const quern_detail::location& where);
    void check_held(ir::type_id held, ir::type_id wanted, const quern_detail::location& where) const;
    quern_detail::place_handle add_place(ir::root_kind root, std::uint32_t number, ir::type_id type,
                                   std::span<const ir::step> steps, ir::block_id block);

    bool is_open(ir::block_id b) const { return block_open_[b.number]; }
    ir::block_id open_block();
    ir::block_id close_block();
    bool is_unreachable() const { return terminated_[open_.back().number]; }
    void push_statement(ir::statement s, ir::location_id l);
    void notice(const char* message, const quern_detail::location& where) noexcept;
    bool top_is(frame_kind k) const { return !frames_.empty() && frames_.back().kind == k; }
    void end_loop(frame_kind k) noexcept;

    ir::location_id locate(const quern_detail::location& where);
    void settle_locations(ir::location_id l);
    std::string_view next_name(const quern_detail::location& where, declared_as how, std::string_view initialiser = {});
    void name(ir::value_id v, std::string_view n);
    void name(ir::variable_id v, const quern_detail::location& where);

    request request_;
    ir::module module_;
    std::uint32_t serial_;

    std::vector<node_record> nodes_;
    std::vector<std::uint32_t> node_operands_;
    std::vector<std::string> messages_;
    std::unordered_map<std::uint32_t, std::uint32_t, node_hash, node_equal> interned_;
    std::unordered_map<std::uint32_t, std::uint32_t> imported_;
    std::unordered_map<const quern_detail::type_desc*, ir::type_id> types_;
    std::vector<place_record> places_;
    std::vector<ir::step> place_steps_;

    std::vector<ir::block_id> open_;
    std::vector<bool> block_open_;
    std::vector<bool> terminated_;
    std::vector<frame> frames_;
    std::vector<ir::switch_case> pending_cases_;
    std::string noticed_;

    std::unordered_map<const char*, ir::file_id> files_;
    std::vector<ir::value_id> unlocated_values_;
    struct unlocated_statement {
        ir::block_id block;
        std::size_t index;
    };
    std::vector<unlocated_statement> unlocated_statements_;
    quern_detail::location last_location_;
    std::unordered_map<std::uint64_t, std::uint32_t> names_taken_;  ///< declarations named so far, by file and line

    std::vector<tunable> tunables_;
    bool requirements_met_ = true;
    bool math_mode_set_ = false;
    std::vector<std::uint32_t> work_;  ///< stack of materialise
};

/// Makes `r` the recorder of this thread while it lives.
class recording {
public:
    explicit recording(recorder& r);
    ~recording();
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;
};

}  // namespace quern::trace
