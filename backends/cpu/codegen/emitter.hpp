// Turns one kernel into one LLVM function of vector code. Owns the state of that translation: the insertion point, the
// mask of lanes that are on, the values computed so far. Its members are spread over the files of this folder by
// concept: values, arithmetic, conversions, maths, access, homes, masks, control, loops, groups, atomics, subgroups.
//
// One trip of a loop over lanes carries a pack of vectors; a statement is emitted for one vector after the other, or
// once where the whole pack agrees. Invariant: where code is emitted under masks, at least one lane of the pack is on
// (whatever may clear masks is followed by a branch around the rest), so a pack of one vector needs no further test.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/codegen/divergence.hpp"
#include "backends/cpu/codegen/lane_value.hpp"
#include "backends/cpu/codegen/leaf_layout.hpp"
#include "backends/cpu/codegen/regions.hpp"
#include "backends/cpu/codegen_abi.hpp"
#include "backends/cpu/import_table.hpp"
#include "dsl/ir/module.hpp"

namespace quern::cpu::codegen {

enum class debug_lines : std::uint8_t { omit, include };

struct emit_options {
    std::uint32_t lanes = 8;
    std::uint32_t vectors = 1;  ///< in flight; at most most_vectors
    debug_lines lines = debug_lines::omit;
    bool has_fma = false;       ///< the target multiplies and adds with one rounding
    bool has_byte_masks = false;  ///< the target masks accesses of bytes with mask registers (AVX-512BW)
    bool has_avx512 = false;    ///< AVX-512 F, DQ and VL: floats are split and scaled by instructions
    bool has_rounding = false;  ///< the target has floor, ceil, trunc and rint
};

class emitter {
public:
    emitter(const ir::module& m, llvm::Module& out, const emit_options& o);
    emitter(const emitter&) = delete;
    emitter& operator=(const emitter&) = delete;

    /// Emits `quern_kernel` and the section ".quern"; throws quern::compile_error for what it cannot express.
    quern_cpu_code emit();

private:
    using builder = llvm::IRBuilder<>;
    /// Signature of a rule: computes a value from its operands, flattened.
    using rule = components (emitter::*)(ir::value_id v, std::span<const components> operands);
    static constexpr rule rule_of(ir::op code);
    static const std::array<rule, ir::op_count> rules;

    // emitter.cpp: the function around the kernel
    void begin_function();
    void emit_range_form();
    void describe_code(const quern_cpu_code& code);
    void set_location(ir::location_id l);
    void begin_debug_information();
    llvm::Value* launch_field(std::size_t offset_bytes, llvm::Type* type);
    llvm::Value* table_entry(std::size_t table_offset_bytes, std::size_t index, llvm::Type* type);
    llvm::Value* buffer_base(std::uint32_t parameter);
    llvm::Value* buffer_size(std::uint32_t parameter);
    components& value_parameter(std::uint32_t parameter);
    void count_loop(llvm::Value* first, llvm::Value* last, std::uint64_t step, const llvm::Twine& name,
                    const std::function<void(llvm::Value*)>& body);

    // types and small helpers
    llvm::Type* register_type(ir::scalar_kind k) const;
    llvm::Type* memory_type(ir::scalar_kind k) const;
    llvm::FixedVectorType* vector_of(llvm::Type* t) const { return llvm::FixedVectorType::get(t, lanes_); }
    llvm::FixedVectorType* mask_type() const { return vector_of(llvm::Type::getInt1Ty(context_)); }
    llvm::Value* i64(std::uint64_t n) { return b_.getInt64(n); }
    llvm::Value* splat(llvm::Value* v) { return b_.CreateVectorSplat(lanes_, v); }
    llvm::Constant* lane_numbers(llvm::Type* type, std::int64_t stride) const;
    llvm::AllocaInst* allocate(llvm::Type* type, const llvm::Twine& name);
    llvm::BasicBlock* new_block(const llvm::Twine& name) { return llvm::BasicBlock::Create(context_, name, function_); }
    bool reachable() const { return b_.GetInsertBlock()->getTerminator() == nullptr; }
    void branch_to(llvm::BasicBlock* to) { if (reachable()) b_.CreateBr(to); }
    void continue_in(llvm::BasicBlock* block) { b_.SetInsertPoint(block); }
    /// The vector of all lanes.
    llvm::Value* vector(const lane_value& v);
    /// One scalar for all lanes that are on; taken from the first of them where lanes are known to agree.
    llvm::Value* scalar(const lane_value& v);
    llvm::Value* lane(llvm::Value* vector, llvm::Value* index) { return b_.CreateExtractElement(vector, index); }

    // masks.cpp
    using masks = llvm::SmallVector<llvm::Value*, most_vectors>;
    llvm::Value*& mask() { return here().mask; }
    llvm::Value* all_on() const { return llvm::ConstantInt::getTrue(mask_type()); }
    llvm::Value* mask_or_all() { return mask() ? mask() : all_on(); }
    llvm::Value* and_mask(llvm::Value* condition) { return mask() ? b_.CreateAnd(mask(), condition) : condition; }
    masks all_masks() const;
    void set_masks(const masks& m);
    llvm::Value* mask_bits(llvm::Value* mask);
    llvm::Value* any(llvm::Value* mask);
    llvm::Value* any(const masks& m);
    llvm::Value* first_lane(llvm::Value* mask);
    llvm::Value* last_lane(llvm::Value* mask);
    void remove_lanes(llvm::AllocaInst* from, llvm::Value* lanes);
    void keep_what_is_on(llvm::BasicBlock*& skip);
    /// No lane of the current vector need be on: others of the pack are.
    bool may_be_off() { return in_flight_ > 1 && mask(); }
    /// `pointer`, or what may be accessed in its place while no lane of the vector is on.
    llvm::Value* readable_where_off(llvm::Value* pointer, llvm::Value* harmless);
    llvm::Value* writable_where_off(llvm::Value* pointer);
    /// What `body` gives, or zeros while no lane of the vector is on.
    components unless_off(const std::function<components()>& body);

    // the pack: vectors that one trip of a loop over lanes carries
    struct position {
        llvm::Value* x = nullptr;  ///< i64; range: lane 0's x; group: workgroup id
        llvm::Value* y = nullptr;
        llvm::Value* z = nullptr;
        llvm::Value* vector = nullptr;  ///< i32; group: number of the vector in its workgroup
    };
    struct vector_state {
        position at;
        llvm::Value* mask = nullptr;                ///< null: all lanes are on
        llvm::AllocaInst* not_returned = nullptr;   ///< lanes that have not returned; null: all
        std::vector<components> values;             ///< by value: of the region that is being emitted
    };
    vector_state& here() { return vectors_[current_]; }
    position& at() { return here().at; }
    bool pack_agrees(ir::value_id v) const { return divergence_.values[v.number] <= level::pack; }
    /// What is known of `v`: by vector, or once for all of the pack.
    components& known(ir::value_id v) { return (pack_agrees(v) ? vectors_[0] : here()).values[v.number]; }
    template <class Body>
    void each_vector(Body&& body) {
        for (current_ = 0; current_ < in_flight_; ++current_) body();
        current_ = 0;
    }
    /// Once where the pack agrees on `l`, else for each vector.
    template <class Body>
    void each_vector(level l, Body&& body) {
        if (l <= level::pack) body();
        else each_vector(body);
    }
    std::vector<lane_value> operand_of_each(ir::value_id v);
    /// The one condition or selector that all lanes in flight share, or null.
    llvm::Value* shared_scalar(ir::value_id v, const std::vector<lane_value>& each);

    // values.cpp
    void define(ir::value_id v);
    components compute(ir::value_id v);
    /// Known values as they are; what other regions know is reloaded or computed again here.
    components operand(ir::value_id v);
    ir::scalar_kind scalar_of(ir::value_id v) const { return scalar_of(module_[v].type); }
    ir::scalar_kind scalar_of(ir::type_id t) const;
    components emit_constant(ir::value_id v, std::span<const components>);
    components emit_parameter(ir::value_id v, std::span<const components>);
    components emit_buffer_size(ir::value_id v, std::span<const components>);
    components emit_induction(ir::value_id v, std::span<const components>);
    components emit_position(ir::value_id v, std::span<const components>);
    components emit_construct(ir::value_id v, std::span<const components>);
    components emit_extract(ir::value_id v, std::span<const components>);
    components emit_insert(ir::value_id v, std::span<const components>);
    components emit_extract_dynamic(ir::value_id v, std::span<const components>);
    components emit_swizzle(ir::value_id v, std::span<const components>);
    components emit_select(ir::value_id v, std::span<const components>);
    llvm::Value* group_index(std::uint64_t dimension) { return dimension == 0 ? at().x : dimension == 1 ? at().y : at().z; }
    lane_value local_position(std::uint64_t dimension, llvm::Type* type);

    // arithmetic.cpp; op by op on scalars of one kind
    components emit_elementwise(ir::value_id v, std::span<const components> operands);
    lane_value elementwise(ir::op code, ir::scalar_kind k, std::span<const lane_value> operands);
    void note_likely(ir::op code, ir::scalar_kind k, std::span<const lane_value> operands, lane_value& v);
    std::optional<lane_value> affine_arithmetic(ir::op code, ir::scalar_kind k, std::span<const lane_value> operands);
    llvm::Value* binary_integer(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b);
    llvm::Value* binary_float(ir::op code, llvm::Value* a, llvm::Value* b);
    llvm::Value* unary(ir::op code, ir::scalar_kind k, llvm::Value* a);
    llvm::Value* divide(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b);
    llvm::Value* min_max(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b);
    llvm::Value* compare(ir::op code, ir::scalar_kind k, llvm::Value* a, llvm::Value* b);
    components emit_compare(ir::value_id v, std::span<const components> operands);
    llvm::Value* intrinsic(llvm::Intrinsic::ID id, std::initializer_list<llvm::Value*> arguments);

    // conversions.cpp
    components emit_cast(ir::value_id v, std::span<const components> operands);
    components emit_bit_cast(ir::value_id v, std::span<const components> operands);
    llvm::Value* convert(llvm::Value* v, ir::scalar_kind from, ir::scalar_kind to);
    llvm::Value* widen_half(llvm::Value* v, ir::scalar_kind k);
    llvm::Value* narrow_to_half(llvm::Value* v, ir::scalar_kind k);
    llvm::Value* fused_small(ir::scalar_kind k, std::span<llvm::Value* const> in);
    llvm::Value* next_small(ir::scalar_kind k, llvm::Value* a, llvm::Value* b);
    llvm::Type* like(llvm::Value* v, llvm::Type* scalar) const;

    // maths.cpp
    components emit_maths(ir::value_id v, std::span<const components> operands);
    llvm::Value* float_function(ir::op code, std::span<llvm::Value* const> arguments);
    llvm::Value* call_import(cpu::import function, std::span<llvm::Value* const> arguments);

    // access.cpp
    struct address {
        llvm::Value* base = nullptr;      ///< pointer; lane 0's where strided
        codegen::shape shape = shape::uniform;
        std::int64_t lane_stride = 0;     ///< bytes, where affine
        llvm::Value* offsets = nullptr;   ///< <W x i64> to add to base, where varying
        std::uint64_t within = 0;         ///< constant bytes to add: members behind the last index
        std::uint64_t element_bytes = 0;  ///< of the one indexed element: what may be read around `within`; 0: unknown
    };
    components emit_load(ir::value_id v, std::span<const components>);
    void emit_store(const ir::store& s, const statement_facts& facts);
    components load_place(ir::place_id p);
    void store_place(ir::place_id p, const components& value, bool blends);
    const layout& layout_of(ir::place_id p) const;
    enum class indices : std::uint8_t { exact, likely };
    address address_of(ir::place_id p, indices which = indices::exact);
    /// Whether lanes are neighbours where their indices say that only run time can tell; null where that is known.
    llvm::Value* lanes_count(ir::place_id p);
    components load_from(ir::place_id p, const address& a);
    /// No index of the place differs within the pack.
    bool pack_agrees_on_indices(ir::place_id p) const;
    llvm::Value* harmless_pointer(ir::place_id p);
    llvm::Value* root_pointer(ir::place_id p);
    llvm::Value* offset_pointer(llvm::Value* base, llvm::Value* offset_bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, offset_bytes); }
    llvm::Value* leaf_pointer(const address& a, std::uint64_t offset_bytes);
    llvm::Value* lane_pointers(const address& a, std::uint64_t offset_bytes, const layout& l, ir::scalar_kind k);
    llvm::Value* to_memory(llvm::Value* v, ir::scalar_kind k);
    llvm::Value* from_memory(llvm::Value* v, ir::scalar_kind k);
    llvm::Value* widen_byte_mask(llvm::Value* mask);
    llvm::Value* load_vector(llvm::Value* pointer, llvm::Type* scalar, llvm::Value* mask, unsigned count);
    void store_vector(llvm::Value* pointer, llvm::Value* value, llvm::Value* mask);
    llvm::Value* gather(llvm::Value* pointers, llvm::Type* scalar, llvm::Value* harmless);
    void scatter(llvm::Value* pointers, llvm::Value* value);
    std::optional<components> load_interleaved(const address& a, std::span<const leaf> leaves);
    bool store_interleaved(const address& a, std::span<const leaf> leaves, const components& value);
    llvm::Value* repeat_mask(llvm::Value* mask, unsigned times);
    template <class Instruction>
    Instruction* in_scope(Instruction* i) { return mark_scope(i), i; }
    void mark_scope(llvm::Instruction* i);
    void prepare_scopes();

    // places of variables and spilled values (homes.cpp)
    void prepare_homes();
    bool on_stack(std::uint32_t variable) const { return variable_allocas_[variable][0] != nullptr; }
    llvm::Value* variable_pointer(std::uint32_t variable);
    llvm::Value* crossing_pointer(std::uint32_t variable);
    enum class crossing : std::uint8_t { in, out };
    void copy_crossing(std::span<const std::uint32_t> variables, crossing direction);
    std::array<std::vector<std::uint32_t>, 2> crossing_variables(ir::block_id b, std::span<const std::size_t> which) const;
    std::uint64_t reserve_scratch(std::uint64_t size_bytes);
    const layout& layout_at(level l) const { return l == level::lane ? lane_layout_ : single_layout_; }
    llvm::Value* scratch_at(std::uint64_t offset_bytes, std::uint64_t bytes_per_vector);
    void spill(ir::value_id v, const components& value);
    components reload(ir::value_id v);
    void declare(ir::variable_id v);

    // control.cpp
    struct frame {
        llvm::BasicBlock* break_to = nullptr;
        llvm::BasicBlock* continue_to = nullptr;
        using by_vector = std::array<llvm::AllocaInst*, most_vectors>;
        by_vector looping{};  ///< lanes that begin the next iteration; null: all that entered
        by_vector active{};   ///< lanes still in this iteration; null: all
        bool masked() const { return active[0] != nullptr; }
    };
    frame masked_frame(const llvm::Twine& break_to, const llvm::Twine& continue_to);
    void emit_block(ir::block_id b);
    void emit_statements(ir::block_id b, std::span<const std::size_t> which);
    void emit_statement(ir::block_id b, std::size_t i);
    void emit_if(const ir::if_statement& s);
    void emit_masked_block(ir::block_id b, const masks& on, llvm::BasicBlock* after);
    void emit_switch(const ir::switch_statement& s);
    void emit_assume(const ir::assume& s);
    void emit_fence(const ir::fence& s);
    void emit_uniform_switch(const ir::switch_statement& s, llvm::Value* selector, const std::function<void(ir::block_id)>& body);
    void emit_uniform_if(const ir::if_statement& s, llvm::Value* condition, const std::function<void(ir::block_id)>& body);
    /// Goes on in a block that may have no way in; then nothing after it is emitted.
    void continue_if_entered(llvm::BasicBlock* block);

    // loops.cpp
    void emit_for(const ir::for_statement& s, const statement_facts& facts);
    void emit_while(const ir::while_statement& s, const statement_facts& facts);
    void emit_uniform_for(const ir::for_statement& s, llvm::Value* first, llvm::Value* last, llvm::Value* step,
                          const std::function<void(const lane_value&)>& body);
    void emit_divergent_for(const ir::for_statement& s);
    void emit_uniform_while(const std::function<llvm::Value*()>& head, const std::function<void()>& body);
    void emit_divergent_while(const ir::while_statement& s);
    void begin_iteration(const frame& f);
    void leave_iteration(bool also_loop);
    void emit_return(const statement_facts& facts);

    // groups.cpp
    void emit_group_form();
    void emit_group_block(ir::block_id b);
    void emit_group_statement(ir::block_id b, std::size_t i);
    void emit_region(ir::block_id b, std::span<const std::size_t> which);
    /// One trip: `count` vectors from the one that vectors_[0].at names; a mask is given for one vector only.
    void emit_lanes(ir::block_id b, std::span<const std::size_t> which, std::uint32_t count, llvm::Value* entry_mask);
    void begin_pack(std::uint32_t count, llvm::Value* entry_mask);
    void fetch_what_crosses(ir::block_id b, std::span<const std::size_t> which);
    llvm::Value* group_scalar(ir::value_id v);
    std::uint32_t workgroup_invocations() const;
    std::uint32_t vector_count() const { return (workgroup_invocations() + lanes_ - 1) / lanes_; }

    // atomics.cpp
    components emit_atomic(ir::value_id v, std::span<const components> operands);
    components atomic_of_lanes(ir::value_id v, std::span<const components> operands);
    enum class sharing : std::uint8_t { thread, device };
    llvm::Value* atomic_step(ir::op code, ir::scalar_kind k, sharing s, llvm::Value* pointer,
                             std::span<llvm::Value* const> operands);
    llvm::Value* combine(ir::op code, ir::scalar_kind k, llvm::Value* old, std::span<llvm::Value* const> operands);
    void for_each_lane(llvm::Value* mask, const std::function<void(llvm::Value*)>& body);

    // subgroups.cpp
    components emit_subgroup(ir::value_id v, std::span<const components> operands);
    lane_value subgroup_step(ir::op code, ir::scalar_kind k, llvm::Value* v, const lane_value* select);
    llvm::Value* reduce(ir::op code, ir::scalar_kind k, llvm::Value* v);
    llvm::Value* scan(ir::op code, ir::scalar_kind k, llvm::Value* v);
    llvm::Value* shuffle(ir::op code, llvm::Value* v, const lane_value& select);

    const ir::module& module_;
    llvm::Module& out_;
    llvm::LLVMContext& context_;
    const emit_options options_;
    const std::uint32_t lanes_, pack_;  ///< lanes of a vector, vectors of a full pack
    const launch_form form_;
    const divergence divergence_;
    const region_plan plan_;
    const layout host_layout_, lane_layout_, single_layout_;
    bool wide_positions_ = false;  ///< the kernel asks for 64-bit ids, so that extents may need them

    builder b_, entry_;  ///< entry_ appends to the block that dominates all
    llvm::Function* function_ = nullptr;
    llvm::Value *launch_ = nullptr, *scratch_ = nullptr;
    std::vector<llvm::Value*> buffer_bases_, buffer_sizes_;
    std::vector<components> value_parameters_;

    std::array<vector_state, most_vectors> vectors_;
    std::uint32_t in_flight_ = 1, current_ = 0;  ///< vectors of the pack that is being emitted; which one
    std::vector<frame> frames_;
    llvm::BasicBlock* return_to_ = nullptr;
    llvm::AllocaInst* sink_ = nullptr;  ///< takes what vectors without lanes store
    llvm::Value* prefix_mask_ = nullptr;  ///< a mask whose lane 0 is on
    std::size_t leaves_ = 0;          ///< masked breaks, continues and returns emitted so far
    std::size_t returns_ = 0;         ///< masked returns emitted so far
    std::vector<components> group_values_;  ///< by value: of the workgroup
    std::vector<std::uint32_t> use_counts_;

    std::vector<std::array<llvm::AllocaInst*, most_vectors>> variable_allocas_;  ///< by variable, vector in flight
    std::vector<std::uint64_t> variable_scratch_, spill_scratch_;
    std::uint64_t scratch_bytes_ = 0;
    std::uint64_t returned_scratch_ = 0;
    std::vector<llvm::MDNode*> scopes_, others_;  ///< by parameter, then one for scratch memory
    std::size_t accessed_root_ = 0;               ///< what mark_scope speaks of

    std::unique_ptr<llvm::DIBuilder> debug_;
    llvm::DISubprogram* subprogram_ = nullptr;
    std::vector<llvm::DIFile*> debug_files_;
};

/// Throws quern::compile_error naming the kernel and what is missing.
[[noreturn]] void refuse(const ir::module& m, const std::string& what);

}  // namespace quern::cpu::codegen
