// Structured control flow: each statement becomes blocks with the merge instructions that SPIR-V asks for.
#include <variant>

#include "backends/spirv/emitter.hpp"
#include "dsl/ir/traversal.hpp"

namespace quern::spirv {

void emitter::begin_block(id label) {
    act(spv::OpLabel, {label});
    current_label_ = label;
    terminated_ = false;
    line_ = {};  // OpLine ends with its block
}

/// Nothing after a block's terminator: a jump may have ended it already.
void emitter::branch(id to) {
    if (!terminated_) act(spv::OpBranch, {to});
    terminated_ = true;
}

/// Invocations outside of the extent skip the body.
void emitter::write_body() {
    if (!needs_guard(m_)) {
        // The entry block holds variables and once-only loads; the body starts another, so that both may grow.
        const id start = code_.next_id();
        act(spv::OpBranch, {start});
        begin_block(start);
        write_block(m_.body);
        if (!terminated_) act(spv::OpReturn, {});
        return;
    }
    const std::uint32_t width = block_.is_wide ? 64 : 32;
    id inside = 0;
    for (std::uint32_t d = 0; d < 3; ++d) {
        const id position = global_position(d, width), extent = block_number(block_content::extent, d);
        const id below = compute(spv::OpULessThan, bool_type(), {position, extent});
        inside = inside == 0 ? below : compute(spv::OpLogicalAnd, bool_type(), {inside, below});
    }
    const id body = code_.next_id(), end = code_.next_id();
    act(spv::OpSelectionMerge, {end, spv::SelectionControlMaskNone});
    act(spv::OpBranchConditional, {inside, body, end});
    begin_block(body);
    write_block(m_.body);
    branch(end);
    begin_block(end);
    act(spv::OpReturn, {});
}

void emitter::write_block(ir::block_id b) {
    if (!b) return;
    const ir::block& block = m_[b];
    for (std::size_t i = 0; i < block.statements.size() && !terminated_; ++i) {
        set_line(ir::location_of(block, i));
        std::visit(ir::overloaded{
                       [&](const ir::define& s) { define(s.value); },
                       [](const ir::declare&) {},
                       [&](const ir::store& s) { store(resolve(s.place), ids_[s.value.number]); },
                       [&](const ir::if_statement& s) { write(s); },
                       [&](const ir::for_statement& s) { write(s); },
                       [&](const ir::while_statement& s) { write(s); },
                       [&](const ir::switch_statement& s) { write(s); },
                       [&](const ir::break_statement&) { branch(loops_.back().merge); },
                       [&](const ir::continue_statement&) { branch(loops_.back().next); },
                       [&](const ir::return_statement&) {
                           act(spv::OpReturn, {});
                           terminated_ = true;
                       },
                       [&](const ir::barrier&) { barrier(); },
                       [&](const ir::fence& s) { memory_fence(s.scope); },
                       [](const ir::assume&) {},
                   },
                   block.statements[i]);
    }
}

void emitter::write(const ir::if_statement& s) {
    const auto is_empty = [&](ir::block_id b) { return !b || m_[b].statements.empty(); };
    const id merge = code_.next_id();
    const id then_label = is_empty(s.then_block) ? merge : code_.next_id();
    const id else_label = is_empty(s.else_block) ? merge : code_.next_id();
    act(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
    act(spv::OpBranchConditional, {ids_[s.condition.number], then_label, else_label});
    bool reached = then_label == merge || else_label == merge;
    for (const auto& [label, block] : {std::pair{then_label, s.then_block}, {else_label, s.else_block}}) {
        if (label == merge) continue;
        begin_block(label);
        write_block(block);
        reached = reached || !terminated_;
        branch(merge);
    }
    begin_block(merge);
    if (reached) return;
    act(spv::OpUnreachable, {});
    terminated_ = true;
}

/// A loop with a count, as compilers expect it, and nothing that wraps: by one up to the end, else by the number of steps.
void emitter::write(const ir::for_statement& s) {
    const ir::type& type = type_of(s.induction);
    const id whole = native_type(m_[s.induction].type), first = ids_[s.first.number], last = ids_[s.last.number];
    const id step = ids_[s.step.number], zero = like(m_[s.induction].type, 0), one = like(m_[s.induction].type, 1);
    const bool by_one = m_[s.step].op == ir::op::constant && m_[s.step].immediate == 1;
    const spv::Op less = ir::is_signed_integer(type.scalar) ? spv::OpSLessThan : spv::OpULessThan;
    id count = 0;
    if (!by_one) {
        const id nothing = compute(spv::OpLogicalNot, bool_type(), {compute(less, bool_type(), {first, last})});
        const id distance = compute(spv::OpISub, whole, {compute(spv::OpISub, whole, {last, first}), one});
        const id divisor = compute(spv::OpSelect, whole, {compute(spv::OpIEqual, bool_type(), {step, zero}), one, step});
        const id steps = compute(spv::OpIAdd, whole, {compute(spv::OpUDiv, whole, {distance, divisor}), one});
        count = compute(spv::OpSelect, whole, {nothing, zero, steps});
    }
    const id before = current_label_, header = code_.next_id(), test = code_.next_id(), body = code_.next_id();
    const id next = code_.next_id(), merge = code_.next_id(), induction = code_.next_id(), stepped = code_.next_id();
    const id done = code_.next_id(), counted = code_.next_id();
    act(spv::OpBranch, {header});
    begin_block(header);
    act(spv::OpPhi, {whole, induction, first, before, stepped, next});
    if (!by_one) act(spv::OpPhi, {whole, done, zero, before, counted, next});
    act(spv::OpLoopMerge, {merge, next, spv::LoopControlMaskNone});
    act(spv::OpBranch, {test});
    begin_block(test);
    const id condition = by_one ? compute(less, bool_type(), {induction, last}) : compute(spv::OpULessThan, bool_type(), {done, count});
    act(spv::OpBranchConditional, {condition, body, merge});
    begin_block(body);
    ids_[s.induction.number] = induction;
    loops_.push_back({merge, next});
    write_block(s.body);
    loops_.pop_back();
    branch(next);
    begin_block(next);
    if (!by_one) act(spv::OpIAdd, {whole, counted, done, one});
    act(spv::OpIAdd, {whole, stepped, induction, step});
    act(spv::OpBranch, {header});
    begin_block(merge);
}

void emitter::write(const ir::while_statement& s) {
    const id header = code_.next_id(), head = code_.next_id(), body = code_.next_id(), next = code_.next_id();
    const id merge = code_.next_id();
    act(spv::OpBranch, {header});
    begin_block(header);
    act(spv::OpLoopMerge, {merge, next, spv::LoopControlMaskNone});
    act(spv::OpBranch, {head});
    begin_block(head);
    loops_.push_back({merge, next});
    write_block(s.head);
    if (!terminated_) {
        act(spv::OpBranchConditional, {ids_[s.condition.number], body, merge});
        begin_block(body);
        write_block(s.body);
    }
    loops_.pop_back();
    branch(next);
    begin_block(next);
    act(spv::OpBranch, {header});
    begin_block(merge);
}

void emitter::write(const ir::switch_statement& s) {
    const ir::scalar_kind k = type_of(s.selector).scalar;
    const std::uint32_t width = ir::bit_width(k);
    const id merge = code_.next_id();
    const id selector = width < 32 ? resize_integer(ids_[s.selector.number], width, 32, false, 1) : ids_[s.selector.number];
    const auto cases = m_.cases_of(s);
    const bool has_default = s.default_block && !m_[s.default_block].statements.empty();
    const id default_label = has_default ? code_.next_id() : merge;
    std::vector<std::pair<id, ir::block_id>> blocks;
    std::vector<word> words{selector, default_label};
    for (const ir::switch_case& c : cases) {
        const id label = code_.next_id();
        words.push_back(static_cast<word>(c.literal));
        if (width == 64) words.push_back(static_cast<word>(c.literal >> 32));
        words.push_back(label);
        blocks.emplace_back(label, c.body);
    }
    if (has_default) blocks.emplace_back(default_label, s.default_block);
    act(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
    code_.add(section::body, spv::OpSwitch, words);
    bool reached = !has_default;
    for (const auto& [label, block] : blocks) {
        begin_block(label);
        write_block(block);
        reached = reached || !terminated_;
        branch(merge);
    }
    begin_block(merge);
    if (reached) return;
    act(spv::OpUnreachable, {});
    terminated_ = true;
}

namespace {

constexpr word order = word{spv::MemorySemanticsAcquireReleaseMask} | word{spv::MemorySemanticsUniformMemoryMask} |
                       word{spv::MemorySemanticsWorkgroupMemoryMask};
constexpr word visibility = word{spv::MemorySemanticsMakeAvailableMask} | word{spv::MemorySemanticsMakeVisibleMask};

}  // namespace

void emitter::barrier() {
    const id scope = u32(spv::ScopeWorkgroup);
    act(spv::OpControlBarrier, {scope, scope, u32(f_.memory_model ? order | visibility : order)});
}

/// QueueFamily is as wide as a device's kernels ever are, and needs no capability of its own in Vulkan's model.
void emitter::memory_fence(ir::scope s) {
    if (f_.fence_suspends) return;
    const word wide = f_.memory_model ? spv::ScopeQueueFamily : spv::ScopeDevice;
    act(spv::OpMemoryBarrier, {u32(s == ir::scope::device ? wide : word{spv::ScopeWorkgroup}), u32(f_.memory_model ? order | visibility : order)});
}

}  // namespace quern::spirv
