// Statements and branches within a loop over lanes: branches where lanes agree, masks where they do not.
#include <llvm/IR/CFG.h>

#include "backends/cpu/codegen/emitter.hpp"

namespace quern::cpu::codegen {

void emitter::continue_if_entered(llvm::BasicBlock* block) {
    continue_in(block);
    if (llvm::pred_empty(block)) b_.CreateUnreachable();
}

void emitter::emit_block(ir::block_id b) {
    if (b.is_none()) return;
    std::vector<std::size_t> all(module_[b].statements.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    emit_statements(b, all);
}

void emitter::emit_statements(ir::block_id b, std::span<const std::size_t> which) {
    llvm::BasicBlock* skip = nullptr;
    for (std::size_t n = 0; n < which.size() && reachable(); ++n) {
        const ir::statement& s = module_[b].statements[which[n]];
        const std::size_t leaves = leaves_;
        emit_statement(b, which[n]);
        if (std::holds_alternative<ir::break_statement>(s) || std::holds_alternative<ir::continue_statement>(s) ||
            std::holds_alternative<ir::return_statement>(s))
            break;
        if (leaves_ != leaves && reachable() && n + 1 < which.size()) keep_what_is_on(skip);
    }
    if (!skip) return;
    branch_to(skip);
    continue_in(skip);
}

void emitter::emit_statement(ir::block_id b, std::size_t i) {
    struct visitor {
        emitter& e;
        const statement_facts& facts;

        void operator()(const ir::define& s) { e.each_vector(e.divergence_.values[s.value.number], [&] { e.define(s.value); }); }
        void operator()(const ir::declare& s) { e.each_vector(e.divergence_.variables[s.variable.number], [&] { e.declare(s.variable); }); }
        void operator()(const ir::store& s) { e.emit_store(s, facts); }
        void operator()(const ir::if_statement& s) { e.emit_if(s); }
        void operator()(const ir::for_statement& s) { e.emit_for(s, facts); }
        void operator()(const ir::while_statement& s) { e.emit_while(s, facts); }
        void operator()(const ir::switch_statement& s) { e.emit_switch(s); }
        void operator()(const ir::break_statement&) { e.leave_iteration(true); }
        void operator()(const ir::continue_statement&) { e.leave_iteration(false); }
        void operator()(const ir::return_statement&) { e.emit_return(facts); }
        void operator()(const ir::barrier&) {}  // one at group level splits regions; elsewhere a lane waits for none
        void operator()(const ir::fence& s) { e.emit_fence(s); }
        void operator()(const ir::assume& s) { e.each_vector([&] { e.emit_assume(s); }); }
    };
    const ir::block& block = module_[b];
    if (i < block.locations.size()) set_location(block.locations[i]);
    std::visit(visitor{*this, divergence_.at(b, i)}, block.statements[i]);
}

void emitter::emit_uniform_if(const ir::if_statement& s, llvm::Value* condition, const std::function<void(ir::block_id)>& body) {
    llvm::BasicBlock *then = new_block("then"), *end = new_block("endif");
    llvm::BasicBlock* otherwise = s.else_block ? new_block("else") : end;
    const masks before = all_masks();
    b_.CreateCondBr(condition, then, otherwise);
    continue_in(then);
    body(s.then_block);
    branch_to(end);
    set_masks(before);
    if (s.else_block) {
        continue_in(otherwise);
        body(s.else_block);
        branch_to(end);
        set_masks(before);
    }
    continue_if_entered(end);
}

void emitter::emit_masked_block(ir::block_id b, const masks& on, llvm::BasicBlock* after) {
    const masks outer = all_masks();
    llvm::BasicBlock* inside = new_block("masked");
    b_.CreateCondBr(any(on), inside, after);
    continue_in(inside);
    set_masks(on);
    emit_block(b);
    set_masks(outer);
    branch_to(after);
    continue_in(after);
}

void emitter::emit_if(const ir::if_statement& s) {
    const std::vector<lane_value> condition = operand_of_each(s.condition);
    if (llvm::Value* shared = shared_scalar(s.condition, condition))
        return emit_uniform_if(s, shared, [&](ir::block_id b) { emit_block(b); });
    masks then, otherwise;
    each_vector([&] {
        llvm::Value* c = vector(condition[current_]);
        if (s.else_block) otherwise.push_back(and_mask(b_.CreateNot(c)));
        then.push_back(and_mask(c));
    });
    emit_masked_block(s.then_block, then, new_block("endthen"));
    if (s.else_block) emit_masked_block(s.else_block, otherwise, new_block("endif"));
}

void emitter::emit_uniform_switch(const ir::switch_statement& s, llvm::Value* selector, const std::function<void(ir::block_id)>& body) {
    llvm::BasicBlock *end = new_block("endswitch"), *otherwise = s.default_block ? new_block("default") : end;
    llvm::SwitchInst* branch = b_.CreateSwitch(selector, otherwise);
    const masks before = all_masks();
    const auto emit_case = [&](llvm::BasicBlock* block, ir::block_id b) {
        continue_in(block);
        body(b);
        branch_to(end);
        set_masks(before);
    };
    for (const ir::switch_case& each : module_.cases_of(s)) {
        llvm::BasicBlock* block = new_block("case");
        branch->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(selector->getType(), each.literal)), block);
        emit_case(block, each.body);
    }
    if (s.default_block) emit_case(otherwise, s.default_block);
    continue_if_entered(end);
}

void emitter::emit_switch(const ir::switch_statement& s) {
    const std::vector<lane_value> selector = operand_of_each(s.selector);
    if (llvm::Value* shared = shared_scalar(s.selector, selector))
        return emit_uniform_switch(s, shared, [&](ir::block_id b) { emit_block(b); });
    // all masks first: a case may not change what the others see
    llvm::SmallVector<masks, 8> hits(module_.cases_of(s).size());
    masks others;
    each_vector([&] {
        llvm::Value *v = vector(selector[current_]), *rest = mask_or_all();
        std::size_t n = 0;
        for (const ir::switch_case& each : module_.cases_of(s)) {
            llvm::Value* hit = b_.CreateICmpEQ(v, splat(llvm::ConstantInt::get(v->getType()->getScalarType(), each.literal)));
            hits[n++].push_back(and_mask(hit));
            rest = b_.CreateAnd(rest, b_.CreateNot(hit));
        }
        others.push_back(rest);
    });
    std::size_t n = 0;
    for (const ir::switch_case& each : module_.cases_of(s)) emit_masked_block(each.body, hits[n++], new_block("endcase"));
    if (s.default_block) emit_masked_block(s.default_block, others, new_block("endswitch"));
}

void emitter::emit_assume(const ir::assume& s) {
    const lane_value condition = operand(s.condition)[0];
    if (condition.is_uniform() && (pack_agrees(s.condition) || !may_be_off())) b_.CreateAssumption(condition.value);
}

void emitter::emit_fence(const ir::fence& s) {
    // within a workgroup one thread runs all lanes in order
    if (s.scope == ir::scope::device) b_.CreateFence(llvm::AtomicOrdering::AcquireRelease);
}

}  // namespace quern::cpu::codegen
